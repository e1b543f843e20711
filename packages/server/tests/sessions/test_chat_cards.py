"""Chat cards: prompts in, replies out, whoever begins a run; and how the engine gets its endpoints from a page."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.model_server.serving import serving_models

from cardloom.app import App
from cardloom.features.sessions.backends.configured import FILE
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.limits import limit
from cardloom_protocol.session.capabilities import Capabilities
from cardloom_protocol.session.errors import SessionError
from cardloom_sdk.backend import Backend, Run, StoreSessions
from cardloom_sdk.stores import MemoryStore

from ..conftest import Client


class Parrot(Backend):
    """Says what it hears, when it is let to; falls silent at the word `fail`."""

    def __init__(self) -> None:
        self.sessions: StoreSessions = StoreSessions(MemoryStore())
        self.may_speak = asyncio.Event()
        self.may_speak.set()

    async def capabilities(self) -> Capabilities:
        return {**self.sessions.capabilities(), "run": {"cancel": True}}

    async def run(self, run: Run) -> None:
        parent = await self.sessions.begin(run)
        await self.may_speak.wait()
        if run.given.get("text") == "fail":
            raise SessionError("tired", "The parrot is tired.")
        async with self.sessions.writing(run, parent_id=parent) as reply:
            reply.add({"type": "text", "text": f"**{run.given.get('text')}**"})


@pytest.fixture
def parrot(app: App) -> Parrot:
    backend = Parrot()
    app.sessions.add("parrot", "Parrot", "test", backend)
    return backend


async def card(page: Client, workspace_id: str, kind: str, content: dict[str, Any] | None = None) -> str:
    made = await page.call("canvas.addCard", workspaceId=workspace_id, kind=kind, x=0, y=0, content=content or {})
    return str(made["id"])


async def chat(page: Client, workspace_id: str) -> str:
    return await card(page, workspace_id, "chat", {"backend": "parrot"})


async def arrow(page: Client, source: str, target: str) -> None:
    await page.call("canvas.connect", a=source, b=target, direction="forward")


async def write(page: Client, note: str, text: str, revision: int) -> int:
    return int((await page.call("note.edit", cardId=note, baseRevision=revision, text=text))["revision"])


async def test_a_note_speaks_to_a_chat_and_its_reply_lands_in_another_note(
    page: Client, workspace_id: str, parrot: Parrot
) -> None:
    note, chat_id, other = (
        await card(page, workspace_id, "note"),
        await chat(page, workspace_id),
        await card(page, workspace_id, "note"),
    )
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    await arrow(page, note, chat_id)
    await arrow(page, chat_id, other)
    await write(page, note, "hello", 0)
    changed = await page.event(
        "canvas.changed", lambda data: any("**hello**" in json.dumps(change) for change in data["changes"])
    )
    assert changed["changes"]
    snapshot = await page.call("canvas.snapshot", workspaceId=workspace_id)
    cards = {one["id"]: one for one in snapshot["cards"]}
    assert cards[other]["content"]["text"] == "**hello**"
    assert cards[chat_id]["content"]["sessionId"] is not None
    assert cards[chat_id]["runtime"] == {"status": "idle", "queued": 0, "error": None}


async def test_drawing_an_arrow_to_a_chat_says_nothing_by_itself(
    page: Client, workspace_id: str, parrot: Parrot
) -> None:
    note, chat_id = await card(page, workspace_id, "note", {"text": "old"}), await chat(page, workspace_id)
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    await arrow(page, note, chat_id)
    await write(page, note, "new", 0)
    await page.event("session.run", lambda news: news["status"] == "done")
    (session,) = (await page.call("session.list", backend="parrot"))["data"]["sessions"]
    messages = (await page.call("session.messages", backend="parrot", sessionId=session["id"]))["data"]
    assert [message["parts"][0]["text"] for message in messages] == ["new", "**new**"]


async def test_prompts_wait_for_each_other_and_one_too_many_is_refused(
    page: Client, workspace_id: str, parrot: Parrot
) -> None:
    chat_id = await chat(page, workspace_id)
    parrot.may_speak.clear()
    await page.call("ports.deliver", to=chat_id, data="p0")
    await page.event("session.run", lambda news: news["status"] == "running")
    for number in range(1, limit("queuedPrompts") + 1):
        await page.call("ports.deliver", to=chat_id, data=f"p{number}")
    refusal = await page.refused("ports.deliver", to=chat_id, data="too many")
    assert refusal.code == ErrorCode.QUOTA_EXCEEDED
    parrot.may_speak.set()
    for _ in range(limit("queuedPrompts") + 1):
        ended = await page.event("session.run", lambda news: news["status"] == "done")
    messages = (await page.call("session.messages", backend="parrot", sessionId=ended["sessionId"]))["data"]
    asked = [message["parts"][0]["text"] for message in messages if message["role"] == "user"]
    assert asked == [f"p{number}" for number in range(limit("queuedPrompts") + 1)]


async def test_a_run_begun_on_a_page_is_answered_for_and_a_prompt_waits_for_its_end(
    page: Client, workspace_id: str, parrot: Parrot
) -> None:
    session = (await page.call("session.create", backend="parrot"))["data"]["id"]
    chat_id = await chat(page, workspace_id)
    await page.call("chat.edit", cardId=chat_id, sessionId=session)
    parrot.may_speak.clear()
    await page.call("session.run", backend="parrot", sessionId=session, text="mine")
    await page.call("ports.deliver", to=chat_id, data="theirs")
    parrot.may_speak.set()
    for _ in range(2):
        await page.event("session.run", lambda news: news["status"] == "done")
    messages = (await page.call("session.messages", backend="parrot", sessionId=session))["data"]
    assert [message["parts"][0]["text"] for message in messages] == ["mine", "**mine**", "theirs", "**theirs**"]


async def test_a_run_that_fails_is_told_at_status_and_says_no_reply(
    page: Client, workspace_id: str, parrot: Parrot
) -> None:
    chat_id, note = await chat(page, workspace_id), await card(page, workspace_id, "note")
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    await arrow(page, chat_id, note)
    await page.call("ports.deliver", to=chat_id, data="fail")
    await page.event("canvas.changed", lambda data: "The parrot is tired." in json.dumps(data["changes"]))
    cards = {one["id"]: one for one in (await page.call("canvas.snapshot", workspaceId=workspace_id))["cards"]}
    assert cards[chat_id]["runtime"]["status"] == "error"
    assert "**" not in cards[note]["content"]["text"]


async def test_a_copy_of_a_chat_has_no_session_and_other_kinds_are_no_chats(
    page: Client, workspace_id: str, parrot: Parrot
) -> None:
    chat_id, note = await chat(page, workspace_id), await card(page, workspace_id, "note")
    await page.call("chat.edit", cardId=chat_id, sessionId="s1", profile="plain")
    copy = await page.call("canvas.duplicateCard", cardId=chat_id)
    assert copy["content"] == {"backend": "parrot", "sessionId": None, "profile": "plain"}
    assert (await page.refused("chat.edit", cardId=note, sessionId="s1")).code == ErrorCode.INVALID_PARAMS


async def test_an_endpoint_is_kept_with_its_key_sealed_and_its_models_offered(app: App, page: Client) -> None:
    with serving_models() as models:
        given = {"endpointId": "local", "dialect": "chat", "url": f"{models.url}/v1"}
        answer = await page.call("session.saveEndpoint", **given, key="secret-of-mine")
        assert answer["problem"] is None
        assert answer["models"] > 0
        assert answer["endpoints"] == [{"id": "local", "dialect": "chat", "url": given["url"], "hasKey": True}]
        offered = (await page.call("session.models"))["data"]
        assert all(model["id"].startswith("local/") for model in offered)
        assert offered
        every_file = [path.read_bytes() for path in app.settings.data_folder.rglob("*") if path.is_file()]
        assert not any(b"secret-of-mine" in content for content in every_file)
        # The same server keeps its key without being told it again; another server does not get it.
        again = await page.call("session.saveEndpoint", **given)
        assert again["endpoints"][0]["hasKey"] is True
        moved = await page.call("session.saveEndpoint", **{**given, "url": "http://127.0.0.1:9/v1"})
        assert moved["endpoints"][0]["hasKey"] is False
        assert moved["problem"] is not None
        assert (await page.call("session.endpoints"))["endpoints"] == moved["endpoints"]
        gone = await page.call("session.removeEndpoint", endpointId="local")
        assert gone["endpoints"] == []
        assert (await page.call("session.models"))["data"] == []


async def test_a_broken_file_of_backends_is_left_alone(app: App, page: Client) -> None:
    path = app.settings.data_folder / FILE
    path.write_text("{ broken")
    refusal = await page.refused(
        "session.saveEndpoint", endpointId="local", dialect="chat", url="http://127.0.0.1:9/v1"
    )
    assert refusal.code == ErrorCode.INVALID_PARAMS
    assert FILE in refusal.message
    assert path.read_text() == "{ broken"
