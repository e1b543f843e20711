"""Secrets at rest: sealed under one key, in the keyring or in a file of its owner alone."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from cardloom.host.vault import KEY_FILE, Keyring, Vault
from cardloom_protocol.errors import CallError, ErrorCode


class Ring:
    """A keyring in memory."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.held.get((service, name))

    def set_password(self, service: str, name: str, value: str) -> None:
        self.held[(service, name)] = value


class Forgetful(Ring):
    """Takes what it is given and keeps nothing."""

    def set_password(self, service: str, name: str, value: str) -> None:
        return None


class Locked(Ring):
    """Answers every question with its own kind of error."""

    def set_password(self, service: str, name: str, value: str) -> None:
        raise LookupError("locked")


class Silent(Ring):
    """Asks the person, who is not there."""

    def set_password(self, service: str, name: str, value: str) -> None:
        threading.Event().wait()


async def test_a_text_comes_back_under_its_name_and_the_file_holds_nothing_of_it(tmp_path: Path) -> None:
    sealed = await Vault(tmp_path, None).seal("a", "секрет \ud800")
    assert await Vault(tmp_path, None).open("a", sealed) == "секрет \ud800"
    assert "секрет".encode() not in sealed
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


async def test_the_same_text_is_sealed_differently_each_time(tmp_path: Path) -> None:
    vault = Vault(tmp_path, None)
    assert await vault.seal("a", "x") != await vault.seal("a", "x")


@pytest.mark.parametrize("change", [lambda sealed: sealed[:-1] + b"\x00", lambda sealed: sealed[:5], lambda _: b""])
async def test_what_was_changed_or_cut_does_not_open(tmp_path: Path, change: object) -> None:
    vault = Vault(tmp_path, None)
    sealed = await vault.seal("a", "x" * 30)
    assert callable(change)
    with pytest.raises(CallError, match="type it in again"):
        await vault.open("a", change(sealed))


async def test_a_text_does_not_open_under_another_name(tmp_path: Path) -> None:
    vault = Vault(tmp_path, None)
    sealed = await vault.seal("a", "x")
    with pytest.raises(CallError) as refusal:
        await vault.open("b", sealed)
    assert refusal.value.code is ErrorCode.UNAVAILABLE


async def test_with_a_keyring_the_file_names_only_the_entry(tmp_path: Path) -> None:
    ring = Ring()
    sealed = await Vault(tmp_path, lambda: ring).seal("a", "x")
    (stored,) = ring.held.values()
    assert stored not in (tmp_path / KEY_FILE).read_text()
    assert await Vault(tmp_path, lambda: ring).open("a", sealed) == "x"
    ring.held.clear()
    with pytest.raises(CallError, match="keyring") as refusal:
        await Vault(tmp_path, lambda: ring).open("a", sealed)
    assert refusal.value.code is ErrorCode.UNAVAILABLE
    with pytest.raises(CallError, match="keyring"):
        await Vault(tmp_path, None).seal("b", "never under a second key")


@pytest.mark.parametrize("ring", [Forgetful(), Locked(), Silent()], ids=["forgetful", "locked", "silent"])
async def test_a_keyring_that_cannot_be_used_gives_way_to_the_file(tmp_path: Path, ring: Keyring) -> None:
    sealed = await Vault(tmp_path, lambda: ring, keyring_ms=50).seal("a", "x")
    assert await Vault(tmp_path, None).open("a", sealed) == "x"


async def test_without_its_key_file_nothing_opens(tmp_path: Path) -> None:
    sealed = await Vault(tmp_path, None).seal("a", "x")
    (tmp_path / KEY_FILE).unlink()
    with pytest.raises(CallError, match="type it in again"):
        await Vault(tmp_path, None).open("a", sealed)


@pytest.mark.parametrize("text", ["", "no base64!", "c2hvcnQ="])
async def test_a_spoiled_key_file_is_told_and_never_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / KEY_FILE).write_text(text)
    with pytest.raises(CallError):
        await Vault(tmp_path, None).seal("a", "x")
    assert (tmp_path / KEY_FILE).read_text() == text
