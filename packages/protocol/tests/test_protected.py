"""Protected names under the spellings that forgiving file systems accept."""

import pytest

from cardloom_protocol.paths import PROTECTED_DIRS, PROTECTED_FILES, is_protected
from cardloom_protocol.protected import protects


@pytest.mark.parametrize("name", [*PROTECTED_DIRS, *PROTECTED_FILES])
def test_what_is_protected_as_written_is_protected_in_any_case_and_depth(name: str) -> None:
    for path in (name, name.upper(), f"a/b/{name.title()}"):
        assert is_protected(path)
        assert protects(path)


@pytest.mark.parametrize(
    "path",
    [
        ".g\u200cit/hooks/pre-commit",  # a joiner that case-folding file systems drop
        ".git\ufeff/config",
        ".g\u00adit",
        "\uff0egit/config",  # full-width dot
        ".\uff47\uff49\uff54/config",  # full-width letters
        ".g\u0131t/config",  # the dotless i, whose capital is I
        "a/.hu\u017fky/pre-commit",  # the long s folds to s
        ".\u212ailocode/rules",  # the Kelvin sign folds to k
        "AGENT\u017f.md",
        ".git./config",
        ".git /config",
        "CLAUDE.md.",
        ".github./workflow\u017f/ci.yml",
    ],
)
def test_spellings_that_a_folding_file_system_takes_for_a_protected_name_are_protected(path: str) -> None:
    assert protects(path)


@pytest.mark.parametrize(
    "path",
    [
        "git~1/config",
        "GIT~1",
        "GIT~9/hooks/x",
        "GITMOD~1",
        "gitatt~2",
        "GI7EBA~1",
        "CLAUDE~1",
        "CLAUDE~1.MD",
        "CLAUD~10.MD",
        "OPENCO~1.JSO",
        "JENKIN~1",
        "AZURE-~1.YML",
        "GITHUB~1/WORKFL~1/ci.yml",
        ".github/workfl~1/ci.yml",
        "DEVCON~1/devcontainer.json",
        "MCP~1.JSO",
        "NPMRC~1",
    ],
)
def test_short_names_of_protected_names_are_protected(path: str) -> None:
    assert protects(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "README.md",
        "src/git~/x",
        "backup~",
        "notes~1",
        "gist~1",
        "report~1.md",
        "github/workflows/x",
        ".github/x/workflows",
        ".gitignore",
        ".g\u00eet/config",
        "caf\u00e9/\u0444\u0430\u0439\u043b",
        "agents.md/x",
        "gix~1",
        "~1",
    ],
)
def test_ordinary_names_are_not_protected(path: str) -> None:
    assert not protects(path)
