"""Our plugin for OpenCode and its fork, run by Node: what it tells, and what it allows its program by itself."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from cardloom.features.agents.harnesses import kilo_code, opencode
from cardloom.features.agents.harnesses.opencode_plugin import PLUGIN, PLUGIN_FILE
from cardloom.features.agents.harnesses.shape import Launch

from .test_agent_launches import SPEC

NODE = shutil.which("node")  # before a test has programs of its own
CAP_S = 60
SCRIPT = """
import {{ Cardloom }} from "./{plugin}"
const answered = []
const client = {{
  session: {{ get: async () => ({{ data: {{}} }}) }},
  postSessionIdPermissionsPermissionId: async (call) => answered.push(call),
}}
const {{ event }} = await Cardloom({{ client }})
await event({{ event: {{ type: "permission.asked", properties: {{ id: "per_1", sessionID: "ses_1" }} }} }})
await event({{ event: {{ type: "question.asked", properties: {{ id: "que_1", sessionID: "ses_1" }} }} }})
console.log(JSON.stringify(answered))
process.exit()
"""

LATE = """
import {{ Cardloom }} from "./{plugin}"
const posted = []
globalThis.fetch = async (url, {{ body }}) => {{
  const {{ properties, parent }} = JSON.parse(body)
  posted.push([url.split("/").pop(), properties.status?.type ?? null, parent])
  return {{ arrayBuffer: async () => null }}
}}
let answer
const late = new Promise((resolve) => {{ answer = resolve }})
const {{ event }} = await Cardloom({{ client: {{ session: {{ get: () => late }} }} }})
const tell = (type, properties) => event({{ event: {{ type, properties: {{ sessionID: "s", ...properties }} }} }})
const told = [
  tell("session.status", {{ status: {{ type: "busy" }} }}),
  tell("permission.asked", {{ id: "per_1" }}),
  tell("session.status", {{ status: {{ type: "idle" }} }}),
]
answer({{ data: {{ parentID: "p" }} }})
await Promise.all(told)
while (posted.length < 3) await new Promise((resolve) => setTimeout(resolve))
console.log(JSON.stringify(posted))
process.exit()
"""


def answers(launch: Launch, folder: Path, script: str = SCRIPT) -> object:
    """What a script prints that drives the plugin of a launch."""
    for file in launch.files:
        (folder / file.path).write_text(file.text)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "ask.js").write_text(script.format(plugin=PLUGIN_FILE))
    assert (folder / PLUGIN_FILE).read_text() == PLUGIN
    assert NODE is not None
    done = subprocess.run([NODE, "ask.js"], cwd=folder, capture_output=True, text=True, timeout=CAP_S, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_kilo_in_dangerous_mode_is_allowed_by_our_plugin_what_it_still_asks(tmp_path: Path) -> None:
    dangerous = kilo_code.HARNESS.launch(replace(SPEC, dangerous=True))
    assert answers(dangerous, tmp_path) == [
        {"path": {"id": "ses_1", "permissionID": "per_1"}, "body": {"response": "once"}}
    ]


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize(
    "launch", [kilo_code.HARNESS.launch(SPEC), opencode.HARNESS.launch(replace(SPEC, dangerous=True))]
)
def test_otherwise_our_plugin_allows_nothing(launch: Launch, tmp_path: Path) -> None:
    assert answers(launch, tmp_path) == []


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_what_comes_while_our_plugin_asks_about_a_session_is_told_after_that_and_in_its_order(tmp_path: Path) -> None:
    assert answers(opencode.HARNESS.launch(SPEC), tmp_path, LATE) == [
        ["session.status", "busy", "p"],
        ["permission.asked", None, "p"],
        ["session.status", "idle", "p"],
    ]
