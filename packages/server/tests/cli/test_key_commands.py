"""`cardloom key`: keys of backends go in by standard input, and never come out again."""

from __future__ import annotations

from pathlib import Path

from cardloom.features.sessions.backends.keys import SealedKeys
from cardloom.host.vault import Vault

from .running_cli import Cli

KEY = "sk-from-standard-input"


async def test_a_key_is_kept_from_standard_input_and_forgotten(tmp_path: Path) -> None:
    cli = Cli(tmp_path / "home")
    cli.environment["CARDLOOM_KEYRING"] = "off"
    code, out, err = cli("key", "set", "far", given=f"{KEY}\n")
    assert (code, err) == (0, "")
    assert KEY not in out
    assert await SealedKeys(cli.home, Vault(cli.home, None)).get("far") == KEY
    assert cli("key", "forget", "far")[0] == 0
    code, _, err = cli("key", "forget", "far")
    assert code == 1
    assert "far" in err


def test_what_is_no_key_is_refused(tmp_path: Path) -> None:
    cli = Cli(tmp_path / "home")
    for name, given in (("far", "\n"), ("../far", f"{KEY}\n")):
        code, _, err = cli("key", "set", name, given=given)
        assert code == 1
        assert KEY not in err
