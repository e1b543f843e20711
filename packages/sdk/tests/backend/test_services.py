"""Services of plug-ins: loaded once and late, errors told, streams that end at once when left."""

from __future__ import annotations

import asyncio
import gc
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cardloom_protocol.session import NotSupported, SessionError
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.backend import services as module
from cardloom_sdk.backend.http import SessionApp
from cardloom_sdk.backend.services import MOST_WAITING, PluginServices, ServiceMeta, plugins_in
from cardloom_sdk.testing.asgi_client import AsgiClient
from cardloom_sdk.testing.memory_backend import MemoryBackend

HERE = Path("plugins")


def services(**plugins: Callable[[Any, ServiceMeta], Any]) -> PluginServices:
    """A host of some plug-ins."""
    return PluginServices({name: partial(_same, made) for name, made in plugins.items()}, root=HERE, data=HERE / "data")


def _same(made: Any) -> Any:
    return made


async def test_a_plugin_is_loaded_once_and_only_when_it_is_asked_for() -> None:
    loads: list[str] = []

    async def slow(context: Any, meta: ServiceMeta) -> None:
        loads.append(meta.plugin_id)
        await asyncio.sleep(0)
        meta.on("ping", lambda args: ["pong", args])

    host = services(slow=slow, other=slow)
    assert loads == []
    answers = await asyncio.gather(*(host.call("slow", "ping", number) for number in range(5)))
    assert answers == [["pong", number] for number in range(5)]
    assert loads == ["slow"]
    assert await host.capability() == {name: {"methods": ["ping"], "streams": []} for name in ("slow", "other")}


async def test_a_plugin_that_cannot_be_loaded_is_missing_and_not_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    tries: list[int] = []

    def broken(context: Any, meta: ServiceMeta) -> None:
        tries.append(1)
        raise RuntimeError("no")

    host = services(broken=broken)
    assert await host.capability() == {}
    for _ in range(2):
        with pytest.raises(NotSupported):
            await host.call("broken", "x")
    assert len(tries) == 1
    assert len([record for record in caplog.records if "broken" in record.message]) == 1


@pytest.mark.parametrize(
    ("plugin", "method"), [("ghost", "x"), ("real", "x"), ("__class__", "x"), ("constructor", "x")]
)
async def test_what_is_not_registered_is_not_supported(plugin: str, method: str) -> None:
    host = services(real=lambda context, meta: meta.on("y", lambda args: None))
    with pytest.raises(NotSupported):
        await host.call(plugin, method)
    with pytest.raises(NotSupported):
        await anext(host.stream(plugin, method))


async def test_the_last_registration_counts_and_a_late_one_shows() -> None:
    kept: list[ServiceMeta] = []

    def plugin(context: Any, meta: ServiceMeta) -> None:
        kept.append(meta)
        meta.on("m", lambda args: 1)
        meta.on("m", lambda args: 2)

    host = services(p=plugin)
    assert await host.call("p", "m") == 2
    kept[0].stream("late", lambda args, sink, signal: None)
    assert await host.capability() == {"p": {"methods": ["m"], "streams": ["late"]}}


@pytest.mark.parametrize(("name", "handler"), [("", print), ("x", None), (None, print)])
def test_a_registration_without_name_or_function_is_a_mistake(name: Any, handler: Any) -> None:
    meta = ServiceMeta("p", HERE, HERE, HERE)
    for register in (meta.on, meta.stream):
        with pytest.raises(TypeError):
            register(name, handler)


async def test_a_failing_method_tells_its_message_and_its_code() -> None:
    class Odd(Exception):
        code = "odd"

    def plugin(context: Any, meta: ServiceMeta) -> None:
        def plain(args: Any) -> None:
            raise ValueError("plain words")

        def coded(args: Any) -> None:
            raise Odd("coded words")

        meta.on("plain", plain)
        meta.on("coded", coded)

    host = services(p=plugin)
    for method, code, message in (("plain", "internal", "plain words"), ("coded", "odd", "coded words")):
        with pytest.raises(SessionError) as refused:
            await host.call("p", method)
        assert (refused.value.code, refused.value.message) == (code, message)


async def test_a_failing_stream_ends_with_its_error() -> None:
    async def fail(args: Any, sink: Any, signal: Any) -> None:
        sink("one", args)
        sink("two")
        raise ValueError("then this")

    host = services(p=lambda context, meta: meta.stream("s", fail))
    events = [event.to_wire() async for event in host.stream("p", "s", 7)]
    assert events == [
        {"name": "one", "payload": 7},
        {"name": "two"},
        {"name": "error", "payload": {"message": "then this", "code": "internal"}},
    ]


async def test_leaving_tells_the_handler_at_once_and_frees_who_waits() -> None:
    aborted, sinks = asyncio.Event(), []

    async def endless(args: Any, sink: Any, signal: Any) -> None:
        sinks.append(sink)
        sink("first")
        await signal.wait()
        aborted.set()
        sink("too late")

    host = services(p=lambda context, meta: meta.stream("s", endless))
    stream = host.stream("p", "s")
    assert (await anext(stream)).name == "first"
    waiting = asyncio.ensure_future(anext(stream, None))
    await asyncio.sleep(0)
    await stream.aclose()
    assert await waiting is None
    await aborted.wait()
    sinks[0]("never heard")
    assert await anext(stream, None) is None


async def test_closing_leaves_all_streams_and_offers_nothing_more() -> None:
    aborted = asyncio.Event()

    async def endless(args: Any, sink: Any, signal: Any) -> None:
        sink("first")
        await signal.wait()
        aborted.set()

    host = services(p=lambda context, meta: meta.stream("s", endless))
    stream = host.stream("p", "s")
    await anext(stream)
    await host.close()
    await aborted.wait()
    assert await anext(stream, None) is None
    assert await host.capability() == {}
    with pytest.raises(NotSupported):
        await host.call("p", "s")
    with pytest.raises(NotSupported):
        await anext(host.stream("p", "s"))


async def test_a_listener_that_does_not_keep_up_is_let_go() -> None:
    async def flood(args: Any, sink: Any, signal: Any) -> None:
        for number in range(MOST_WAITING * 2):
            sink("n", number)

    host = services(p=lambda context, meta: meta.stream("s", flood))
    events = [event async for event in host.stream("p", "s")]
    assert len(events) == MOST_WAITING + 1
    assert events[-1].to_wire() == {
        "name": "error",
        "payload": {"message": "The listener does not keep up.", "code": "too_slow"},
    }


async def test_a_plugin_that_never_finishes_loading_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(context: Any, meta: ServiceMeta) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(module, "LOAD_S", 0.0)
    host = services(endless=endless)
    async with asyncio.timeout(60):
        assert await host.capability() == {}


async def test_plugins_are_found_in_a_folder(tmp_path: Path) -> None:
    good = "def plugin(context, meta):\n    meta.on('m', lambda args: meta.plugin_id)\n"
    for name, body in (("good", good), ("bad", "x = 1\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "plugin.py").write_text(body)
    host = PluginServices(plugins_in(tmp_path), root=tmp_path, data=tmp_path / "data")
    assert await host.capability() == {"good": {"methods": ["m"], "streams": []}}
    assert await host.call("good", "m") == "good"


async def test_services_are_reached_over_http() -> None:
    async def count(args: Any, sink: Any, signal: Any) -> None:
        for number in range(3):
            sink("tick", number)

    backend: Any = MemoryBackend()
    backend.services = services(p=lambda context, meta: meta.stream("count", count))
    http = AsgiClient(SessionApp(BackendHost(backend)))
    headers = {"content-type": "application/json"}
    reply = await http.request("POST", "/services/p/count/stream", headers=headers, body=b"{}")
    assert reply.body.count(b"event: tick\n") == 3
    assert (await http.request("POST", "/services/p/ghost/stream", headers=headers, body=b"{}")).status == 501


async def test_a_plugin_that_blocks_while_it_loads_is_named_and_left_behind(caplog: pytest.LogCaptureFixture) -> None:
    began, go_on = threading.Event(), threading.Event()

    def blocking() -> Any:
        began.set()
        go_on.wait()
        return lambda context, meta: None

    host = PluginServices({"blocking": blocking}, root=HERE, data=HERE)
    asking = asyncio.create_task(host.capability())
    async with asyncio.timeout(60):
        await asyncio.to_thread(began.wait)
        with caplog.at_level(logging.WARNING):
            await host.close()
        assert await asking == {}
    assert caplog.messages == ["the plug-in blocking was still loading at the end"]
    go_on.set()


def test_a_process_ends_although_a_plugin_blocks_while_it_loads(tmp_path: Path) -> None:
    (tmp_path / "blocking").mkdir()
    (tmp_path / "blocking/plugin.py").write_text("import threading\nthreading.Event().wait()\n")
    script = f"""
import asyncio, threading
from pathlib import Path
from cardloom_sdk.backend.services import PluginServices, plugins_in

async def main():
    folder = Path({str(tmp_path)!r})
    host = PluginServices(plugins_in(folder), root=folder, data=folder)
    asking = asyncio.create_task(host.capability())
    while not [one for one in threading.enumerate() if one.name == "plug-in blocking"]:
        await asyncio.sleep(0.01)
    await host.close()
    print(await asking)

asyncio.run(main())
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout) == (0, "{}\n"), ended.stderr


async def test_a_plugin_that_fails_after_its_time_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    go_on, ended = threading.Event(), threading.Event()

    def late() -> Any:
        go_on.wait()
        ended.set()
        raise RuntimeError("too late")

    monkeypatch.setattr(module, "LOAD_S", 0.0)
    host = PluginServices({"late": late}, root=HERE, data=HERE)
    async with asyncio.timeout(60):
        assert await host.capability() == {}
        go_on.set()
        await asyncio.to_thread(ended.wait)
        for thread in threading.enumerate():
            if thread.name == "plug-in late":
                await asyncio.to_thread(thread.join)
    await asyncio.sleep(0)
    gc.collect()
    assert caplog.messages == ["the plug-in late could not be loaded"]
