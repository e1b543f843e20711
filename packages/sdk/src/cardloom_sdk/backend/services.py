"""Services of plug-ins: loaded when first asked for, methods that answer, streams that end when nobody listens.

A plug-in is a function of a context and its `ServiceMeta`, on which it registers methods and streams. One that fails to
load is missing and stays so. Spec: session protocol, services (1.11).
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.capabilities import ServiceCapability
from cardloom_protocol.session.errors import NotSupported, SessionError, SessionErrorCode
from cardloom_protocol.session.services import (
    NOTHING,
    Nothing,
    ServiceEvent,
    ServicesCapability,
    service_error_event,
)

_logger = logging.getLogger(__name__)

LOAD_S: Final = 30.0
"""How long a plug-in may take to load; beyond, it counts as one that failed."""

MOST_WAITING: Final = 10_000
"""Events that wait for one listener; beyond, its stream ends with an error."""

Sink: TypeAlias = Callable[..., None]
CallHandler: TypeAlias = Callable[[JsonValue], JsonValue | Awaitable[JsonValue]]
StreamHandler: TypeAlias = Callable[[JsonValue, Sink, "Signal"], Awaitable[None] | None]
Plugin: TypeAlias = Callable[[Any, "ServiceMeta"], Awaitable[None] | None]
Load: TypeAlias = Callable[[], Plugin]


class Signal:
    """Tells a stream's handler that nobody listens any more."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    @property
    def aborted(self) -> bool:
        """Whether the listener has left."""
        return self._event.is_set()

    def abort(self) -> None:
        """For the host: the listener has left."""
        self._event.set()

    async def wait(self) -> None:
        """Returns when the listener has left."""
        await self._event.wait()


@dataclass(slots=True)
class ServiceMeta:
    """What a plug-in knows of itself, and where it registers. `data_dir` is not made by the host."""

    plugin_id: str
    root: Path
    plugin_dir: Path
    data_dir: Path
    methods: dict[str, CallHandler] = field(default_factory=dict)
    streams: dict[str, StreamHandler] = field(default_factory=dict)

    def on(self, method: str, handler: CallHandler) -> None:
        """Registers a method; a later registration counts. TypeError for no name or no function."""
        _check(method, handler)
        self.methods[method] = handler

    def stream(self, method: str, handler: StreamHandler) -> None:
        """Registers a stream; its handler gets the arguments, a sink for events and a signal."""
        _check(method, handler)
        self.streams[method] = handler

    def to_capability(self) -> ServiceCapability:
        """What is registered, in the order of registration."""
        return {"methods": list(self.methods), "streams": list(self.streams)}


class PluginServices:
    """Runs the plug-ins of a `ServicesHost`. `plugins` gives what loads each; `data` holds a folder for each."""

    def __init__(self, plugins: Mapping[str, Load], *, root: Path, data: Path, context: Any = None) -> None:
        self._plugins = dict(plugins)
        self._root = root
        self._data = data
        self._context = context
        self._loading: dict[str, asyncio.Task[ServiceMeta | None]] = {}
        self._live: set[ServiceStream] = set()
        self._importing: dict[str, asyncio.Future[Plugin]] = {}
        self._closed = False

    async def capability(self) -> ServicesCapability:
        """What each plug-in offers; one that failed to load is missing."""
        if self._closed:
            return {}
        metas = await asyncio.gather(*(self._meta(name) for name in self._plugins))
        found = dict(zip(self._plugins, metas, strict=True))
        return {name: meta.to_capability() for name, meta in found.items() if meta is not None}

    async def call(self, plugin: str, method: str, args: JsonValue = None) -> JsonValue:
        """The answer of a method. NOT_SUPPORTED for what is not registered; else the handler's own refusal."""
        meta = await self._meta(plugin)
        handler = None if meta is None else meta.methods.get(method)
        if handler is None or self._closed:
            raise NotSupported(f"{plugin}.{method}")
        try:
            answer = handler(args)
            return await answer if inspect.isawaitable(answer) else answer
        except Exception as error:  # whatever a plug-in raises, its caller is told in the protocol's words
            raise _told(error) from error

    def stream(self, plugin: str, method: str, args: JsonValue = None) -> ServiceStream:
        """The events of a stream; `aclose` leaves it. NOT_SUPPORTED comes with the first event asked for."""

        async def handler() -> StreamHandler:
            meta = await self._meta(plugin)
            found = None if meta is None else meta.streams.get(method)
            if found is None or self._closed:
                raise NotSupported(f"{plugin}.{method}")
            return found

        stream = ServiceStream(handler, args, self._live.discard)
        self._live.add(stream)
        return stream

    async def close(self) -> None:
        """Leaves the live streams; afterwards nothing is offered. A plug-in that still loads is left to itself."""
        self._closed = True
        for plugin, importing in self._importing.items():
            _logger.warning("the plug-in %s was still loading at the end", plugin)
            importing.cancel()
        for stream in list(self._live):
            await stream.aclose()

    async def _meta(self, plugin: str) -> ServiceMeta | None:
        """The plug-in's registrations; the first to ask loads it, the others wait for that."""
        if plugin not in self._plugins or self._closed:
            return None
        loading = self._loading.get(plugin)
        if loading is None:
            loading = self._loading[plugin] = asyncio.ensure_future(self._load(plugin))
        return await asyncio.shield(loading)

    async def _load(self, plugin: str) -> ServiceMeta | None:
        meta = ServiceMeta(plugin, self._root, self._root / plugin, self._data / plugin)
        try:
            async with asyncio.timeout(LOAD_S):
                begin = await self._imported(plugin)
                if begin is None:
                    return None
                waiting = begin(self._context, meta)
                if inspect.isawaitable(waiting):
                    await waiting
        except Exception:  # whatever a plug-in raises, the others go on without it
            _logger.warning("the plug-in %s could not be loaded", plugin, exc_info=True)
            return None
        return meta

    async def _imported(self, plugin: str) -> Plugin | None:
        """The plug-in's function, None when the host closes first.

        Its code runs in a thread that nobody waits for: one that blocks cannot be stopped, and is not to hold up the
        end of the process.
        """
        loop = asyncio.get_running_loop()
        importing = self._importing[plugin] = loop.create_future()
        threading.Thread(
            target=_import, args=(self._plugins[plugin], loop, importing), name=f"plug-in {plugin}", daemon=True
        ).start()
        try:
            await asyncio.wait([importing])
            return None if importing.cancelled() else importing.result()
        finally:
            importing.cancel()  # after too long: what the thread comes to is of no use to anybody
            del self._importing[plugin]


def _import(load: Load, loop: asyncio.AbstractEventLoop, importing: asyncio.Future[Plugin]) -> None:
    """Root of the thread in which a plug-in's code is run first."""
    plugin: Plugin | None = None
    failure: Exception | None = None
    try:
        plugin = load()
    except Exception as error:  # noqa: BLE001 - a thread's root: a plug-in may raise whatever it likes
        failure = error

    def settle() -> None:
        if importing.done():
            return
        if plugin is None:
            importing.set_exception(failure or ImportError("it has no function `plugin`"))
        else:
            importing.set_result(plugin)

    with suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(settle)


class ServiceStream:
    """One stream to one listener. A handler's failure is its last event."""

    def __init__(
        self,
        handler: Callable[[], Awaitable[StreamHandler]],
        args: JsonValue,
        on_end: Callable[[ServiceStream], None],
    ) -> None:
        self._handler = handler
        self._args = args
        self._on_end = on_end
        self._signal = Signal()
        self._events: asyncio.Queue[ServiceEvent | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._ended = False

    def __aiter__(self) -> ServiceStream:
        return self

    async def __anext__(self) -> ServiceEvent:
        if self._task is None and not self._ended:
            try:
                handler = await self._handler()
            except SessionError:
                self._end()
                raise
            self._task = asyncio.create_task(self._run(handler))
        event = None if self._ended else await self._events.get()
        if event is None or self._ended:
            self._end()
            raise StopAsyncIteration
        return event

    async def aclose(self) -> None:
        """Leaves: the handler is told at once, and who waits for an event waits no longer."""
        self._end()
        self._events.put_nowait(None)

    def sink(self, name: str, payload: JsonValue | Nothing = NOTHING) -> None:
        """Takes an event of the handler; after the listener left, nothing."""
        if self._signal.aborted or self._ended:
            return
        if self._events.qsize() >= MOST_WAITING:
            self._finish(SessionError("too_slow", "The listener does not keep up."))
            self._signal.abort()
            return
        self._events.put_nowait(ServiceEvent(name, payload))

    async def _run(self, handler: StreamHandler) -> None:
        try:
            waiting = handler(self._args, self.sink, self._signal)
            if inspect.isawaitable(waiting):
                await waiting
        except Exception as error:  # noqa: BLE001 - whatever a plug-in raises, its listener is told
            self._finish(_told(error))
            return
        self._events.put_nowait(None)

    def _finish(self, error: SessionError) -> None:
        self._events.put_nowait(service_error_event(error))
        self._events.put_nowait(None)

    def _end(self) -> None:
        self._ended = True
        self._signal.abort()
        self._on_end(self)


def plugins_in(folder: Path) -> dict[str, Load]:
    """The plug-ins below a folder: one folder each, whose `plugin.py` has a function `plugin`."""

    def loading(path: Path) -> Load:
        def load() -> Plugin:
            spec = importlib.util.spec_from_file_location(f"plugin_{path.parent.name}", path)
            if spec is None or spec.loader is None:
                raise ImportError(f"{path} is no Python module")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return cast(Plugin, module.plugin)

        return load

    return {path.parent.name: loading(path) for path in sorted(folder.glob("*/plugin.py"))}


def _check(method: str, handler: object) -> None:
    if not isinstance(method, str) or not method:
        raise TypeError("a service needs a name")
    if not callable(handler):
        raise TypeError(f"the handler of {method!r} is no function")


def _told(error: Exception) -> SessionError:
    """A failure with the same message, and its code where that is a text."""
    if isinstance(error, SessionError):
        return error
    code = getattr(error, "code", None)
    return SessionError(code if isinstance(code, str) else SessionErrorCode.INTERNAL, str(error))
