"""What the README shows runs as it stands there."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from cardloom_sdk import Card
from cardloom_sdk.testing import VirtualTiming

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def block_with(words: str) -> str:
    (block,) = (one for one in re.findall(r"```(?:python|json)\n(.*?)```", README, re.DOTALL) if words in one)
    return str(block)


async def run(block: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a program that may await at its top; gives what it defined."""
    code = compile(block, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    waits = eval(code, names)
    if waits is not None:
        await waits
    return names


async def test_the_test_of_a_card_passes(tmp_path: Path) -> None:
    (tmp_path / "cardloom-card.json").write_text(json.dumps(json.loads(block_with("displayName"))))
    program = block_with("async def shout").partition("card = Card")[2].partition("\n")[2].replace("card.run()", "")

    def make_card(timing: VirtualTiming) -> Card:
        names = {"card": Card(tmp_path, timing=timing)}
        exec(program, names)
        return names["card"]

    names = await run(block_with("test_it_shouts"), {"make_card": make_card})
    await names["test_it_shouts"]()


async def test_a_session_is_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = await run(block_with("NrChatStore(Path"), {"Path": Path})
    assert [message["parts"] for message in names["messages"]] == [[{"type": "text", "text": "hello"}]]
    assert any((tmp_path / "chats").iterdir())
