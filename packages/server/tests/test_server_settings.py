"""Settings and keys that a server starts with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from cardloom.core.tokens import CardTokens
from cardloom.settings import DEFAULT_PORT, Settings
from cardloom_protocol.ids import CardId


def test_settings_come_from_the_environment(tmp_path: Path) -> None:
    settings = Settings.from_environment({"CARDLOOM_HOME": str(tmp_path), "CARDLOOM_PORT": "4000"})
    assert (settings.data_folder, settings.port) == (tmp_path, 4000)
    assert Settings.from_environment({}).port == DEFAULT_PORT
    assert Settings.from_environment({}).data_folder.is_absolute()


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "80.0", " 80", "²"])
def test_a_port_that_is_none_is_refused_by_name(port: str) -> None:
    with pytest.raises(ValueError, match="CARDLOOM_PORT"):
        Settings.from_environment({"CARDLOOM_PORT": port})


class _Asked(Mapping[str, str]):
    """An environment without any variable, which remembers those that were asked for."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __getitem__(self, name: str) -> str:
        self.names.append(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def test_the_readme_names_every_variable_that_is_read() -> None:
    environment = _Asked()
    Settings.from_environment(environment)
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    assert environment.names
    assert [name for name in environment.names if f"`{name}`" not in readme] == []


def test_a_cards_tokens_are_good_until_they_are_revoked() -> None:
    tokens = CardTokens()
    one, again, other = tokens.issue(CardId("a")), tokens.issue(CardId("a")), tokens.issue(CardId("b"))
    assert len({one, again, other}) == 3
    assert tokens.card_of(one) == tokens.card_of(again) == "a"
    tokens.revoke(CardId("a"))
    assert tokens.card_of(one) is tokens.card_of(again) is None
    assert tokens.card_of(other) == "b"
    assert tokens.card_of("") is None
