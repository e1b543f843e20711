"""The guide's code runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from cardloom_protocol.session import parse_sse_stream
from cardloom_sdk.testing.asgi_client import AsgiClient

GUIDE = Path(__file__).resolve().parents[4] / "docs" / "guides" / "serve-a-backend.md"


def code() -> dict[str, Any]:
    """What the guide's blocks define."""
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL):
        exec(block, names)
    return names


async def test_the_backend_of_the_guide_is_served_below_a_mount_point() -> None:
    client = AsgiClient(code()["app"], token="a long random text")
    made = await client.request("POST", "/chat/sessions", headers={"content-type": "application/json"}, body=b"{}")
    session: Any = made.json["data"]
    headers = {"content-type": "application/json", "accept": "text/event-stream"}
    reply = await client.request("POST", f"/chat/sessions/{session['id']}/runs", headers=headers, body=b'{"text":"hi"}')
    ends: list[Any] = [event for event in parse_sse_stream(reply.body.decode()) if event["type"] == "part_end"]
    assert [end["value"]["text"] for end in ends] == ["HI"]
    assert (await AsgiClient(code()["app"]).request("GET", "/chat/capabilities")).status == 401


async def test_the_backend_of_the_guide_answers_front_ends_of_agui() -> None:
    body = b'{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":[{"type":"text","text":"hi"}]}]}'
    app = code()["app"]
    assert (await AsgiClient(app).request("POST", "/ag-ui", body=body)).status == 401
    reply = await AsgiClient(app, token="a long random text").request("POST", "/ag-ui", body=body)
    assert reply.status == 200
    assert b'"delta":"HI"' in reply.body


async def test_the_backend_of_the_guide_keeps_the_contract() -> None:
    await code()["keeps_the_contract"]()
