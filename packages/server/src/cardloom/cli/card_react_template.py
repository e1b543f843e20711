"""The files of a new card written with React: sources, a build into `dist/`, a test on a host in memory.

It is built against the SDK that came with this Cardloom, whose archive goes into `vendor/`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from .console import UsageError

ENTRY: Final = "dist/index.html"
"""What a package shows is what its build made; it is packed and installed as it lies there."""

_PAGE: Final = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>$title</title>
  </head>
  <body class="ns-kit ns-pad">
    <div id="root"></div>
    <script type="module" src="./src/main.tsx"></script>
  </body>
</html>
"""

_MAIN: Final = """import { connect } from "@cardloom/card-sdk";
import { CardProvider } from "@cardloom/card-sdk/react";
import "@cardloom/card-sdk/kit.css";
import { createRoot } from "react-dom/client";
import { App } from "./App";

const card = await connect();
const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <CardProvider card={card}>
      <App />
    </CardProvider>,
  );
}
"""

_APP: Final = """import { useCard, usePeers, usePortMessage, useStored } from "@cardloom/card-sdk/react";
import { useEffect } from "react";

/** Counts, remembers how far it got, and tells joined cards. */
export function App() {
  const card = useCard();
  const peers = usePeers();
  const [count, setCount, loaded] = useStored("count", 0);
  usePortMessage(() => setCount((before) => before + 1), { input: "tick" });
  useEffect(() => {
    void card.setBadge(count || null);
  }, [card, count]);

  async function add() {
    setCount(count + 1);
    const delivered = await card.ports.emit("count", count + 1);
    card.log.info(`$${count + 1}, told to $${delivered}`);
  }

  return (
    <div className="ns-stack">
      <output className="ns-title" aria-live="polite">
        {loaded ? count : "…"}
      </output>
      <button className="ns-btn ns-btn--primary" disabled={!loaded} onClick={() => void add()}>
        Add one
      </button>
      <p className="ns-muted ns-small">Joined cards: {peers.length}</p>
    </div>
  );
}
"""

_TEST: Final = """import { MockHost } from "@cardloom/card-sdk/testing";
import { CardProvider } from "@cardloom/card-sdk/react";
import { readFileSync } from "node:fs";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { App } from "../src/App";

const manifest: Record<string, unknown> = JSON.parse(readFileSync("neurosquad-card.json", "utf-8"));
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

test("a click counts, is kept and is told to joined cards", async () => {
  const host = new MockHost({ manifest });
  const card = await host.connect();
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<CardProvider card={card}><App /></CardProvider>));
  await act(async () => page.querySelector("button")?.click());
  await expect.poll(() => host.emitted).toEqual([{ port: "count", data: 1 }]);
  expect(page.querySelector("output")?.textContent).toBe("1");
  expect(await card.storage.get("count")).toBe(1);
  await act(async () => root.unmount());
});
"""

_VITE: Final = """import { defineConfig } from "vitest/config";

// A card's page is served below an address of its own and runs no script inside its HTML.
export default defineConfig({
  base: "./",
  build: { target: "es2022", modulePreload: { polyfill: false } },
  test: { environment: "jsdom" },
});
"""

_README: Final = """# $title

Counts, remembers how far it got, and tells joined cards.

```
npm install
npm test
npm run build
cardloom card dev .
cardloom card pack .
```

`npm run build` makes `dist/`, which is what runs: keep it with the sources. `cardloom card dev .` builds anew and loads
the card anew at every change. `vendor/` holds the SDK of the Cardloom that began this card.
"""


def sdk_archive() -> Path:
    """The archive of the card SDK that came with this Cardloom. UsageError when its web part was not built."""
    folder = Path(__file__).resolve().parents[1] / "web" / "sdk"
    found = sorted(folder.glob("cardloom-card-sdk-*.tgz"))
    if not found:
        raise UsageError("the card SDK is not there: this Cardloom's web part was not built. Run: make setup")
    return found[-1]


def react_files(name: str, manifest: dict[str, Any], sdk: str) -> dict[str, str]:
    """The files by path; `sdk` is the archive's name. `$title` is to be filled in."""
    return {
        "neurosquad-card.json": _json(manifest | _own_part()),
        "package.json": _json(_package(name, sdk)),
        "tsconfig.json": _json(_TYPES),
        "vite.config.ts": _VITE,
        "index.html": _PAGE,
        "src/main.tsx": _MAIN,
        "src/App.tsx": _APP,
        "tests/App.test.tsx": _TEST,
        ".gitignore": "node_modules/\n",
        "README.md": _README,
    }


def _own_part() -> dict[str, Any]:
    return {
        "entry": ENTRY,
        "card": {"defaultSize": {"w": 300, "h": 220}},
        "ports": {
            "inputs": [{"id": "tick", "label": "Count", "type": "ns:trigger"}],
            "outputs": [{"id": "count", "label": "Count", "type": "ns:number", "retain": True}],
        },
    }


def _package(name: str, sdk: str) -> dict[str, Any]:
    return {
        "name": name,
        "private": True,
        "version": "0.1.0",
        "type": "module",
        "scripts": {
            "build": "tsc && vite build",
            "watch": "vite build --watch",
            "test": "vitest run",
        },
        "dependencies": {
            "@cardloom/card-sdk": f"file:vendor/{sdk}",
            "react": "^19.2.0",
            "react-dom": "^19.2.0",
        },
        "devDependencies": {
            "@types/node": "^20.19.0",
            "@types/react": "^19.2.0",
            "@types/react-dom": "^19.2.0",
            "jsdom": "^29.0.0",
            "typescript": "^6.0.0",
            "vite": "^8.0.0",
            "vitest": "^4.1.0",
        },
    }


_TYPES: Final[dict[str, Any]] = {
    "compilerOptions": {
        "target": "ES2022",
        "lib": ["ES2023", "DOM", "DOM.Iterable"],
        "module": "ESNext",
        "moduleResolution": "bundler",
        "jsx": "react-jsx",
        "strict": True,
        "skipLibCheck": True,
        "noEmit": True,
        "types": ["node", "vite/client"],
    },
    "include": ["src", "tests"],
}


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2) + "\n"
