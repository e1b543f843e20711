"""The HTTP binding: statuses, bodies, streams, and who may ask."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cardloom_protocol.session import RunState, SessionError, SseParser, parse_sse_stream
from cardloom_sdk.backend import Backend, BackendHost, HostLimits, Run, StoreSessions
from cardloom_sdk.backend.http import SessionApp, protocol_app
from cardloom_sdk.backend.http.streams import StreamTimes
from cardloom_sdk.backend.services import PluginServices, ServiceMeta, Signal, Sink
from cardloom_sdk.testing.asgi_client import AsgiClient, AsgiReply, AsgiStream
from cardloom_sdk.testing.backends import EchoBackend, ScriptedBackend
from cardloom_sdk.testing.memory_backend import MemoryBackend

JSON = {"content-type": "application/json"}
EVENTS = {"accept": "text/event-stream"}


class Asked:
    """One backend over HTTP."""

    def __init__(self, backend: Backend, times: StreamTimes | None = None, limits: HostLimits | None = None) -> None:
        self.host = BackendHost(backend, limits=limits)
        self.http = AsgiClient(SessionApp(self.host, times=times))

    async def __call__(self, verb: str, path: str, body: object = None, **headers: str) -> AsgiReply:
        """The answer to a request with a JSON body."""
        data = None if body is None else json.dumps(body).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.request(verb, path, headers={**({} if body is None else JSON), **given}, body=data)

    async def session(self) -> str:
        """A new session."""
        return str((await self("POST", "/sessions", {})).json["data"]["id"])  # type: ignore[index, call-overload]

    async def run(self, text: str) -> str:
        """A run in a new session."""
        reply = await self("POST", f"/sessions/{await self.session()}/runs", {"text": text})
        return str(reply.json["data"]["runId"])  # type: ignore[index, call-overload]


@pytest.fixture
async def asked() -> AsyncIterator[Asked]:
    made = Asked(MemoryBackend())
    yield made
    await made.host.close()


@pytest.mark.parametrize(
    ("verb", "path", "body", "status"),
    [
        ("GET", "/capabilities", None, 200),
        ("GET", "/health", None, 200),
        ("POST", "/sessions", {}, 201),
        ("GET", "/sessions/S", None, 200),
        ("PATCH", "/sessions/S", {"title": "x"}, 200),
        ("POST", "/sessions/S/messages", {"text": "x"}, 201),
        ("POST", "/sessions/S/runs", {"text": "x"}, 202),
        ("POST", "/sessions/S/fork", {}, 400),
        ("DELETE", "/sessions/S", None, 204),
        ("PUT", "/workspace/files/content?path=a", {"content": "x"}, 201),
        ("POST", "/services/clock/add", {"args": [1, 2]}, 200),
        ("GET", "/nowhere", None, 404),
        ("GET", "/sessions/ghost", None, 404),
        ("GET", "/sessions/S/messages/ghost/extra/deep", None, 404),
        ("GET", "/sessions/..%2Fx", None, 400),
        ("PUT", "/sessions/S", {}, 405),
        ("DELETE", "/capabilities", None, 405),
        ("POST", "/sessions/S/runs", {}, 400),
        ("GET", "/sessions?limit=0", None, 400),
        ("GET", "/sessions?limit=x", None, 400),
        ("GET", "/sessions/S/assets/mem%3A%2F%2FS%2Fnothing", None, 404),
    ],
)
async def test_an_answer_has_its_status(asked: Asked, verb: str, path: str, body: Any, status: int) -> None:
    await asked("POST", "/sessions", {"id": "S"})
    reply = await asked(verb, path, body)
    assert reply.status == status
    if status == 204:
        assert reply.body == b""
    else:
        assert reply.json["ok"] is (status < 400)
    if status == 405:
        assert reply.headers["allow"]


@pytest.mark.parametrize(
    "fields", [{"skills": 5}, {"tools": 5}, {"extra": 5}, {"model": 5}, {"prompt": {"pre": 1}}, {"systemPrompt": []}]
)
async def test_an_inline_profile_with_a_field_of_the_wrong_kind_is_refused(asked: Asked, fields: Any) -> None:
    given = {"profile": {"name": "Bot", **fields}}
    await asked("POST", "/sessions", {"id": "S"})
    for verb, path in (("POST", "/sessions"), ("PUT", "/sessions/S/profile"), ("POST", "/sessions/S/runs")):
        assert (await asked(verb, path, {"text": "x", **given})).status == 400
    assert len((await asked("GET", "/sessions")).json["data"]["sessions"]) == 1  # type: ignore[index, call-overload, arg-type]
    assert (await asked("GET", "/sessions/S/messages")).json["data"] == []


async def test_a_length_that_is_no_number_is_not_believed(asked: Asked) -> None:
    reply = await asked.http.request("POST", "/sessions", headers={**JSON, "content-length": "\xb2"}, body=b"{}")
    assert reply.status == 201


async def test_no_client_can_have_more_read_at_once_than_a_file_may_hold(asked: Asked) -> None:
    files: Any = asked.host.backend.workspace.files  # type: ignore[union-attr]
    files.files["large"] = bytes(64 * 1024 * 1024 + 1)
    reply = await asked("GET", f"/workspace/files/content?path=large&maxBytes={10**11}")
    details: Any = reply.json["error"]["details"]  # type: ignore[index, call-overload]
    assert (reply.status, details["maxBytes"]) == (413, 64 * 1024 * 1024)


async def test_a_second_write_of_a_file_is_no_creation(asked: Asked) -> None:
    path = "/workspace/files/content?path=a"
    statuses = [(await asked("PUT", path, {"content": "x"})).status for _ in range(2)]
    assert statuses == [201, 200]


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b"{", JSON, 400, "bad_request"),
        (b"[]", JSON, 400, "bad_request"),
        (b"\xff", JSON, 400, "bad_request"),
        (b'{"title": NaN}', JSON, 400, "bad_request"),
        (b"[" * 100_000, JSON, 400, "bad_request"),
        (b"title=x", {"content-type": "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"),
        (b"{}", {}, 415, "unsupported_media_type"),
        (b"", {**JSON, "content-length": "99999999"}, 413, "bad_request"),
        (b" " * (16 * 1024 * 1024 + 1), JSON, 413, "bad_request"),
        (b"{}", {**JSON, **EVENTS}, 406, "not_acceptable"),
    ],
)
async def test_a_malformed_request_is_refused_and_makes_nothing(
    asked: Asked, body: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    reply = await asked.http.request("POST", "/sessions", headers=headers, body=body)
    assert reply.status == status
    assert reply.json["error"]["code"] == code  # type: ignore[index, call-overload]
    assert (await asked("GET", "/sessions")).json["data"] == {"sessions": []}


async def test_a_missing_capability_goes_before_everything_else() -> None:
    asked = Asked(EchoBackend())
    for verb, path in (("GET", "/models"), ("PUT", "/sessions/ghost/model"), ("GET", "/workspace/events")):
        assert (await asked(verb, path, {} if verb == "PUT" else None)).status == 501


@pytest.mark.parametrize("fault", [RuntimeError("secret"), PermissionError("secret"), TimeoutError("secret")])
async def test_a_fault_of_the_backend_is_told_without_its_inside(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    class Faulty(EchoBackend):
        async def capabilities(self) -> Any:
            raise fault

    reply = await Asked(Faulty())("GET", "/capabilities")
    assert (reply.status, b"secret" in reply.body) == (500, False)
    assert "secret" in caplog.text


async def test_a_busy_session_answers_409_with_its_run() -> None:
    asked = Asked(MemoryBackend())
    session_id = await asked.session()
    first = await asked("POST", f"/sessions/{session_id}/runs", {"text": "hang"})
    data: Any = first.json["data"]
    second: Any = (await asked("POST", f"/sessions/{session_id}/runs", {"text": "x"})).json
    assert second["error"]["code"] == "conflict"
    assert second["error"]["details"] == {"runId": data["runId"]}
    assert (await asked("DELETE", f"/sessions/{session_id}")).status == 409
    assert (await asked("DELETE", f"/sessions/{session_id}/messages/{data['messageId']}")).status == 409
    cancel = [(await asked("POST", f"/runs/{data['runId']}/cancel")).status]
    live = asked.host.run(data["runId"])
    while not live.ended:
        await live.log.more()
    cancel.append((await asked("POST", f"/runs/{data['runId']}/cancel")).status)
    assert cancel == [202, 200]


async def test_a_run_streams_at_once_when_the_request_says_so(asked: Asked) -> None:
    path = f"/sessions/{await asked.session()}/runs"
    reply = await asked("POST", path, {"text": "hi", "messageId": "u1"}, accept="text/event-stream")
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-accel-buffering"] == "no"
    assert reply.body.startswith(b"retry: 2000\n: open\n\nid: ")
    events = parse_sse_stream(reply.body.decode())
    assert events[0]["userMessageId"] == "u1"
    assert events[-1]["type"] == "run_end"


async def test_ids_count_from_one_and_the_header_goes_on_behind_them(asked: Asked) -> None:
    run_id = await asked.run("a b c")
    whole = await asked("GET", f"/runs/{run_id}/events")
    frames = SseParser().feed(whole.body)
    assert [frame.id for frame in frames] == [f"{run_id}:{number}" for number in range(1, len(frames) + 1)]
    by_header = await asked("GET", f"/runs/{run_id}/events", Last_Event_ID=frames[2].id)
    by_query = await asked("GET", f"/runs/{run_id}/events?after={frames[2].id}")
    assert SseParser().feed(by_header.body) == SseParser().feed(by_query.body) == frames[3:]


@pytest.mark.parametrize(("query", "sign"), [("", b": alive\n\n"), ("?heartbeat=event", b"event: heartbeat\n")])
async def test_silence_is_broken_by_signs_of_life(query: str, sign: bytes) -> None:
    asked = Asked(MemoryBackend(), times=StreamTimes(heartbeat_ms=1))
    run_id = await asked.run("hang")
    async with asked.http.open("GET", f"/runs/{run_id}/events{query}") as stream:
        seen = b""
        while seen.count(sign) < 2:
            seen += await stream.read()
    assert all(event["type"] in ("heartbeat", *KNOWN) for event in parse_sse_stream(seen.decode()))
    await asked.host.close()


KNOWN = ("run_start", "message_start", "part_start", "part_delta", "part_end")


async def talk(run: Run, sessions: StoreSessions) -> None:
    """Says five thousand words and lets others read in between."""
    parent = await sessions.begin(run)
    async with sessions.writing(run, parent_id=parent) as reply:
        text = reply.text()
        for number in range(5000):
            text.add(f"w{number} ")
            if number % 50 == 0:
                await asyncio.sleep(0)


async def sum_of(stream: AsgiStream) -> RunState:
    """What a stream adds up to."""
    state, parser = RunState(), SseParser()
    while piece := await stream.read():
        for event in parser.feed_events(piece):
            state.apply(event)
    return state


async def test_a_client_that_does_not_read_costs_nobody_and_ends_with_the_same() -> None:
    asked = Asked(ScriptedBackend(talk), limits=HostLimits(run_events=200))
    run_id = await asked.run("go")
    path = f"/runs/{run_id}/events"
    async with asked.http.open("GET", path) as slow, asked.http.open("GET", path) as quick:
        first = RunState()
        parser = SseParser()
        for event in parser.feed_events(await slow.read()):
            first.apply(event)
        fast = await sum_of(quick)  # ends although nobody reads the other one
        assert fast.status == "done"
        while piece := await slow.read():
            for event in parser.feed_events(piece):
                first.apply(event)
    assert first.shown == fast.shown
    (message,) = first.shown
    stored = await asked.host.backend.sessions.history(asked.host.run(run_id).session_id)
    assert message == stored[-1]


async def test_a_client_that_never_reads_is_let_go() -> None:
    asked = Asked(ScriptedBackend(talk), times=StreamTimes(write_ms=1))
    run_id = await asked.run("go")
    async with asked.http.open("GET", f"/runs/{run_id}/events") as idle:
        await idle.gone_by_server()
        assert asked.host.open_streams == 0
    live = asked.host.run(run_id)
    while not live.ended:
        await live.log.more()
    assert live.log.state.status == "done"


async def test_a_quiet_stream_without_a_reader_is_kept() -> None:
    asked = Asked(MemoryBackend(), times=StreamTimes(heartbeat_ms=1))
    async with asked.http.open("GET", "/workspace/events") as stream:
        seen = b""
        while seen.count(b": alive") < 20:
            seen += await stream.read()


@pytest.mark.parametrize(("query", "status"), [("", None), ("?cancelOnClose=1", "cancelled")])
async def test_leaving_ends_a_run_only_when_asked_for(query: str, status: str | None) -> None:
    asked = Asked(MemoryBackend())
    run_id = await asked.run("hang")
    async with asked.http.open("GET", f"/runs/{run_id}/events{query}") as stream:
        while b"part_delta" not in await stream.read():
            pass
    live = asked.host.run(run_id)
    if status is not None:
        while not live.ended:
            await live.log.more()
    assert live.log.state.status == status
    await asked.host.close()


async def test_too_many_streams_are_refused_and_a_closed_one_makes_room() -> None:
    asked = Asked(MemoryBackend(), limits=HostLimits(streams=1))
    run_id = await asked.run("hang")
    async with asked.http.open("GET", f"/runs/{run_id}/events") as stream:
        await stream.read()
        assert (await asked("GET", "/workspace/events")).status == 429
    async with asked.http.open("GET", "/workspace/events") as again:
        assert b"retry" in await again.read()
    await asked.host.close()


async def test_a_service_streams_until_it_fails_or_the_client_leaves(asked: Asked) -> None:
    broken = await asked("POST", "/services/clock/broken/stream", {})
    assert b"event: tick\ndata: 1\n\n" in broken.body
    assert broken.body.endswith(b'event: error\ndata: {"message":"The clock stopped.","code":"worn_out"}\n\n')
    assert (await asked("POST", "/services/clock/ghost/stream", {})).status == 501
    async with asked.http.open("POST", "/services/clock/count/stream", headers=JSON, body=b"{}") as stream:
        while b"data: 3" not in await stream.read():
            pass


async def test_a_service_that_has_said_nothing_is_left_with_its_client(asked: Asked, tmp_path: Path) -> None:
    began, left = asyncio.Event(), asyncio.Event()

    async def listen(_args: object, _sink: Sink, signal: Signal) -> None:
        began.set()
        await signal.wait()
        left.set()

    def quiet(_context: object, meta: ServiceMeta) -> None:
        meta.stream("listen", listen)

    asked.host.backend.services = PluginServices({"quiet": lambda: quiet}, root=tmp_path, data=tmp_path)
    async with asyncio.timeout(60):
        async with asked.http.open("POST", "/services/quiet/listen/stream", headers=JSON, body=b"{}"):
            await began.wait()
        await left.wait()


async def test_a_file_of_a_session_cannot_act_as_a_page(asked: Asked) -> None:
    path = f"/sessions/{await asked.session()}/assets"
    for name, kind in (
        ("x.svg", "application/octet-stream"),
        ("x.html", "application/octet-stream"),
        ("x.png", "image/png"),
    ):
        put = await asked.http.request("POST", f"{path}?name={name}", headers={"content-type": "x/y"}, body=b"<script>")
        assert put.status == 201
        ref: Any = put.json["data"]
        reply = await asked("GET", f"{path}/{ref['ref'].replace('/', '%2F').replace(':', '%3A')}")
        assert (reply.headers["content-type"], reply.body) == (kind, b"<script>")
        assert "sandbox" in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": ""}, 401),
        ({"host": "evil.example"}, 403),
        ({"host": "chat.example:8000"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 200),
        ({"origin": "https://page.example"}, 200),
        ({"host": "localhost:1"}, 200),
        ({"host": "[::1]:1"}, 200),
    ],
)
async def test_only_who_may_ask_is_answered(headers: dict[str, str], status: int) -> None:
    app = protocol_app(EchoBackend(), token="secret", hosts=["chat.example"], origins=["https://page.example"])
    reply = await AsgiClient(app, token="secret").request("GET", "/capabilities", headers=headers)
    assert reply.status == status
    if headers.get("origin") == "https://page.example":
        assert reply.headers["access-control-allow-origin"] == "https://page.example"


async def test_a_browser_may_ask_beforehand_for_allowed_pages_only() -> None:
    app = protocol_app(EchoBackend(), token="secret", origins=["https://page.example"])
    allowed = await AsgiClient(app).request("OPTIONS", "/sessions", headers={"origin": "https://page.example"})
    assert allowed.status == 204
    assert "authorization" in allowed.headers["access-control-allow-headers"]
    other = await AsgiClient(app).request("OPTIONS", "/sessions", headers={"origin": "https://other.example"})
    assert other.status == 403


async def test_a_server_that_stops_ends_its_runs_and_closes_the_backend() -> None:
    asked = Asked(MemoryBackend())
    run_id = await asked.run("hang")
    async with asked.http.open("GET", f"/runs/{run_id}/events") as stream:
        await stream.read()
        await asked.host.close()
        await sum_of(stream)
    assert asked.host.run(run_id).log.state.status == "cancelled"
    with pytest.raises(SessionError):
        await asked.host.start_run({"sessionId": await asked.session(), "text": "x"})
