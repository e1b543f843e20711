"""Package paths, workspace paths and protected names."""

import pytest

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.paths import is_protected, normalize_package_path, normalize_workspace_path


@pytest.mark.parametrize(
    ("path", "normal"),
    [("a/b.html", "a/b.html"), ("dist/", "dist"), (".hidden", ".hidden"), ("a/__ns", "a/__ns"), (" a", " a")],
)
def test_a_package_path_loses_its_final_slash_alone(path: str, normal: str) -> None:
    assert normalize_package_path(path) == normal


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/a",
        "a//b",
        "./a",
        "a/..",
        "a\\b",
        "a:b",
        "a.",
        "a ",
        "__ns",
        "__NS/x",
        "con",
        "a/LPT1.txt",
        "nul .x",
        "a\x7f",
        "com²",
        None,
        5,
        "x" * 241,
        "/".join("a" * 21),
    ],
)
def test_what_is_no_package_path_is_refused(path: object) -> None:
    assert normalize_package_path(path) is None


@pytest.mark.parametrize("path", ["", ".", "./", ".\\", "  ", "\ufeff"])
def test_the_workspace_folder_has_the_empty_path(path: str) -> None:
    assert normalize_workspace_path(path) == ""


@pytest.mark.parametrize(
    ("path", "normal"), [("a\\b", "a/b"), (" ./a/ ", "a"), ("__ns/a", "__ns/a"), ("a/" * 100 + "b", "a/" * 100 + "b")]
)
def test_a_workspace_path_is_written_one_way(path: str, normal: str) -> None:
    assert normalize_workspace_path(path) == normal


@pytest.mark.parametrize(
    "path", ["/etc", "\\a", "C:\\a", "c:", "..", "a/../b", "a//b", "./.", "a*", "CON", "a\x00", "x" * 1025]
)
def test_a_workspace_path_that_leads_out_or_cannot_exist_is_denied(path: str) -> None:
    with pytest.raises(CallError) as caught:
        normalize_workspace_path(path)
    assert caught.value.code is ErrorCode.FS_DENIED


def test_a_denied_path_is_named_with_its_fault() -> None:
    with pytest.raises(CallError) as caught:
        normalize_workspace_path("docs/aux.txt")
    assert "docs/aux.txt" in caught.value.message
    assert "device name" in caught.value.message


@pytest.mark.parametrize(
    "path",
    [
        ".git",
        "a/.GIT/hooks/x",
        ".claude/settings.json",
        "deep/CLAUDE.md",
        ".github/workflows",
        "a/.GitHub/Workflows/x",
        ".envrc",
        "Jenkinsfile",
        ".vscode",
    ],
)
def test_files_that_make_others_run_code_are_protected(path: str) -> None:
    assert is_protected(path)


@pytest.mark.parametrize(
    "path", ["", "README.md", ".github", ".github/x/workflows", "agents.md/x", ".gitignore", ".env"]
)
def test_ordinary_files_are_not_protected(path: str) -> None:
    assert not is_protected(path)
