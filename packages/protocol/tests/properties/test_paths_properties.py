"""Package paths, workspace paths and protected names: what holds for every input."""

from hypothesis import given
from hypothesis import strategies as st

from cardloom_protocol.errors import CallError
from cardloom_protocol.jstext import js_trim
from cardloom_protocol.paths import is_protected, normalize_package_path, normalize_workspace_path, segment_fault

PATHISH = st.text(alphabet=st.sampled_from([*"ab.:/\\ ~con", "\u00a0", "\ufeff", "é", "\x00", "*"]), max_size=20)


@given(PATHISH)
def test_a_normal_workspace_path_is_made_of_names_and_stays_as_it_is(path: str) -> None:
    try:
        normal = normalize_workspace_path(path)
    except CallError:
        return
    assert normal == "" or all(segment_fault(segment) is None for segment in normal.split("/"))
    # White space behind a leading "./" or before a final "/" is part of a name; alone at an end it is not.
    if js_trim(normal) == normal:
        assert normalize_workspace_path(normal) == normal


@given(PATHISH)
def test_a_package_path_once_normal_stays_as_it_is(path: str) -> None:
    normal = normalize_package_path(path)
    if normal is not None:
        assert normalize_package_path(normal) == normal
        assert path in (normal, f"{normal}/")


@given(st.lists(st.sampled_from(["a", ".git", "src", ".github", "workflows", "AGENTS.md"]), min_size=1, max_size=5))
def test_protection_does_not_depend_on_letter_case_or_the_folders_above(segments: list[str]) -> None:
    path = "/".join(segments)
    assert is_protected(path) == is_protected(path.upper())
    assert not is_protected(path) or is_protected(f"top/{path}")
