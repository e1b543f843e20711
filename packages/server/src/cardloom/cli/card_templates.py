"""The files of a new card: small enough to read at once, whole enough to run."""

from __future__ import annotations

import json
from string import Template
from typing import Any, Final, Literal, TypeAlias

from ..features.cards.packages import FRAME_MANIFEST_NAME, MANIFEST_NAME
from .card_react_template import react_files, sdk_archive

Kind: TypeAlias = Literal["html", "python", "react"]
"""What a new card is: a page in one file, a program, a page that is built."""

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
      <button class="ns-btn ns-btn--primary" id="add" disabled>Add one</button>
    </div>
    <script type="module">
      import { connect } from "./__ns/sdk.js";

      const card = await connect();
      const add = document.getElementById("add");
      let count = (await card.storage.get("count")) ?? 0;

      async function show() {
        document.getElementById("count").textContent = String(count);
        await card.setBadge(count || null);
      }

      add.addEventListener("click", async () => {
        count += 1;
        await card.storage.set("count", count);
        await show();
      });
      add.disabled = false;
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


def card_files(name: str, kind: Kind) -> dict[str, str]:
    """The files of a new card by path, its manifest first."""
    title = name.replace("-", " ").strip().capitalize()
    fill = {"title": title}
    match kind:
        case "python":
            files = {
                MANIFEST_NAME: _json(_manifest(name, title) | _PROGRAM_PART),
                "card.py": _PROGRAM,
                "conftest.py": _CONFTEST,
                "tests/test_card.py": _TEST,
                "README.md": _README,
            }
            fill["what"] = "Counts the words of every text it gets."
            fill["try_it"] = "cardloom card test .\ncardloom card dev ."
        case "html":
            files = {
                FRAME_MANIFEST_NAME: _json(_manifest(name, title) | _PAGE_PART),
                "index.html": _PAGE,
                "README.md": _README,
            }
            fill["what"] = "Counts, and remembers how far it got."
            fill["try_it"] = "cardloom card dev ."
        case "react":
            files = react_files(name, _manifest(name, title), sdk_archive().name)
    return {path: Template(text).substitute(fill) for path, text in files.items()}


_PROGRAM_PART: Final = {
    "python": "card.py",
    "permissions": [{"id": "cards.connected", "reason": "Writes what it counted into joined cards."}],
    "ports": {
        "inputs": [{"id": "text", "label": "Text", "type": "ns:text", "default": True}],
        "outputs": [{"id": "words", "label": "Words", "type": "ns:text"}],
    },
}
_PAGE_PART: Final = {"entry": "index.html", "card": {"defaultSize": {"w": 280, "h": 180}}}


def _manifest(name: str, title: str) -> dict[str, Any]:
    return {
        "manifestVersion": 1,
        "protocol": 1,
        "name": name,
        "displayName": title,
        "version": "0.1.0",
        "license": "MIT",
    }


def _json(manifest: dict[str, Any]) -> str:
    return json.dumps(manifest, indent=2) + "\n"
