"""The files of a new card: small enough to read at once, whole enough to run."""

from __future__ import annotations

import json
from string import Template
from typing import Any, Final

from ..features.cards.packages import FRAME_MANIFEST_NAME, MANIFEST_NAME

_PAGE: Final = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>$title</title>
    <link rel="stylesheet" href="./__ns/kit.css" />
  </head>
  <body class="ns-kit ns-pad">
    <div class="ns-stack">
      <output class="ns-title" id="count" aria-live="polite">…</output>
      <button class="ns-btn ns-btn--primary" id="add">Add one</button>
    </div>
    <script type="module">
      import { connect } from "./__ns/sdk.js";

      const card = await connect();
      let count = (await card.storage.get("count")) ?? 0;

      async function show() {
        document.getElementById("count").textContent = String(count);
        await card.setBadge(count || null);
      }

      document.getElementById("add").addEventListener("click", async () => {
        count += 1;
        await card.storage.set("count", count);
        await show();
      });
      await show();
    </script>
  </body>
</html>
"""

_PROGRAM: Final = '''"""$title: answers every text with the number of its words."""

from pathlib import Path
from typing import Any

from cardloom_sdk import Card


def make_card(**options: Any) -> Card:
    """The card with its handlers. `options` are those of Card."""
    card = Card(Path(__file__).parent, **options)

    @card.on_message("text")
    async def count(text: str) -> None:
        words = len(text.split())
        await card.set_status(f"{words} words", tone="success")
        await card.emit("words", f"{words} words")

    return card


if __name__ == "__main__":
    make_card().run()
'''

_CONFTEST: Final = '''"""Makes the card importable for its tests, as it is when it runs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
'''

_TEST: Final = '''"""$title, joined to a host in memory."""

import asyncio

from card import make_card
from cardloom_sdk.testing import CardHost, Emitted, VirtualTiming, peer


def test_a_text_is_answered_with_the_number_of_its_words() -> None:
    async def scene() -> None:
        card = make_card(timing=VirtualTiming())
        async with CardHost(card, peers=[peer("c_note", "note")]) as host:
            await host.deliver("text", "high tide at noon")
            assert host.emitted == [Emitted("words", "4 words")]

    asyncio.run(scene())
'''

_README: Final = """# $title

$what

```
cardloom card validate .
$try_it
cardloom card pack .
```
"""


def card_files(name: str, *, python: bool) -> dict[str, str]:
    """The files of a new card by path, its manifest first."""
    title = name.replace("-", " ").strip().capitalize()
    fill = {"title": title}
    if python:
        program = {
            MANIFEST_NAME: _manifest(name, title, python=True),
            "card.py": _PROGRAM,
            "conftest.py": _CONFTEST,
            "tests/test_card.py": _TEST,
            "README.md": _README,
        }
        what, try_it = "Counts the words of every text it gets.", "cardloom card test .\ncardloom card run ."
    else:
        program = {
            FRAME_MANIFEST_NAME: _manifest(name, title, python=False),
            "index.html": _PAGE,
            "README.md": _README,
        }
        what, try_it = "Counts, and remembers how far it got.", "cardloom card install --dev ."
    fill |= {"what": what, "try_it": try_it}
    return {path: Template(text).substitute(fill) for path, text in program.items()}


def _manifest(name: str, title: str, *, python: bool) -> str:
    manifest: dict[str, Any] = {
        "manifestVersion": 1,
        "protocol": 1,
        "name": name,
        "displayName": title,
        "version": "0.1.0",
        "license": "MIT",
    }
    if python:
        manifest |= {
            "python": "card.py",
            "permissions": [{"id": "cards.connected", "reason": "Writes what it counted into joined cards."}],
            "ports": {
                "inputs": [{"id": "text", "label": "Text", "type": "ns:text", "default": True}],
                "outputs": [{"id": "words", "label": "Words", "type": "ns:text"}],
            },
        }
    else:
        manifest |= {"entry": "index.html", "card": {"defaultSize": {"w": 280, "h": 180}}}
    return json.dumps(manifest, indent=2) + "\n"
