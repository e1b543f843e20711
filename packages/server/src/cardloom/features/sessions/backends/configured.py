"""The backends that a person has set up, in one file: `backends.json` in the data folder.

    {
      "engine": {
        "endpoints": [{"id": "local", "dialect": "chat", "url": "http://127.0.0.1:11434/v1"},
                      {"id": "hosted", "dialect": "messages", "url": "https://…/v1", "keyVariable": "HOSTED_KEY"}],
        "defaultModel": "local/some-model",
        "mcp": [{"id": "sums", "command": ["python", "sums.py"]}, {"id": "web", "url": "http://127.0.0.1:9000/mcp"}],
        "skills": ["/home/me/skills"]
      },
      "backends": [
        {"id": "pi", "kind": "pi", "command": ["pi"], "folder": "/home/me/project"},
        {"id": "far", "kind": "http", "url": "https://…/protocol/v1", "key": "far"},
        {"id": "dreams", "kind": "mapped", "url": "http://127.0.0.1:7000", "mapping": "dreams.json"}
      ]
    }

`keyVariable` names a variable of the environment, `key` a key that was typed in. A fault is told with its exact place
and switches off only the backend that it is in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.json_text import JsonObject, is_object, list_of, object_of, read_json
from cardloom_sdk.backend import Backend
from cardloom_sdk.stores import SessionStore

from ....host.environment import cleaned
from .acp.agent import AcpSettings
from .acp.backend import AcpBackend
from .canvas.agents import CANVAS
from .engine.endpoint import Dialect, Endpoint, EndpointSettings
from .engine.mcp_tools import McpServers, McpSettings
from .http.backend import HttpBackend
from .http.client import ProtocolClient
from .keys import KeyOf, SealedKeys, key_in_environment, no_key
from .mapped.backend import MappedBackend
from .mapped.engine import Engine
from .mapped.language import MappingError
from .mapped.mapping import load_mapping
from .opencode.backend import OpenCodeBackend
from .opencode.server import OpenCodeSettings
from .pi.backend import PiBackend, PiSettings

FILE: Final = "backends.json"
ENGINE_ID: Final = "engine"
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
_DIALECTS: Final[Mapping[str, Dialect]] = {"chat": "chat", "responses": "responses", "messages": "messages"}
COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {"pi": ("pi",), "opencode": ("opencode",), "acp": ()}

StoreOf: TypeAlias = Callable[[str], SessionStore]


class Fault(ValueError):
    """What is wrong in the file, beginning with the place."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What backends are made with. `store_of` gives the store of a backend that keeps its sessions with us."""

    data_folder: Path
    environment: Mapping[str, str]
    keys: SealedKeys
    store_of: StoreOf


@dataclass(frozen=True, slots=True)
class ConfiguredBackend:
    """One backend of the file."""

    id: str
    title: str
    kind: str
    backend: Backend


@dataclass(slots=True)
class Configuration:
    """What the file says; `faults` are told to the person."""

    endpoints: list[Endpoint] = field(default_factory=list)
    default_model: str | None = None
    mcp: list[McpSettings] = field(default_factory=list)
    skills: list[Path] = field(default_factory=list)
    backends: list[ConfiguredBackend] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def mcp_servers(self) -> McpServers:
        """The MCP servers of the engine."""
        return McpServers(self.mcp)


def read_configuration(surroundings: Surroundings) -> Configuration:
    """What the person has set up. No file is no fault."""
    configuration = Configuration()
    try:
        text = (surroundings.data_folder / FILE).read_text("utf-8")
    except FileNotFoundError:
        return configuration
    except (OSError, UnicodeDecodeError) as error:
        configuration.faults.append(f"{FILE}: cannot be read ({type(error).__name__}).")
        return configuration
    try:
        document = read_json(text)
    except ValueError as error:
        configuration.faults.append(f"{FILE}: this is not JSON ({error}).")
        return configuration
    _Reading(surroundings, configuration).read(document)
    return configuration


def read_endpoint(surroundings: Surroundings, entry: JsonObject) -> Endpoint:
    """One endpoint as the file would hold it. `Fault` says what is wrong with it."""
    return _Reading(surroundings, Configuration()).endpoint(entry, "endpoint")


def read_backend(surroundings: Surroundings, entry: JsonObject) -> ConfiguredBackend:
    """One backend as the file would hold it. `Fault`, `MappingError` and, of its files, OSError say what is wrong."""
    return _Reading(surroundings, Configuration()).backend(entry, "backend")


class _Reading:
    """Reads the file entry by entry; a faulty one leaves the others alone."""

    def __init__(self, surroundings: Surroundings, into: Configuration) -> None:
        self._surroundings = surroundings
        self._into = into

    def read(self, document: JsonValue) -> None:
        """The whole document."""
        if not is_object(document):
            self._into.faults.append(f"{FILE}: an object is expected.")
            return
        engine = object_of(document.get("engine"))
        self._each(
            engine,
            "engine.endpoints",
            "endpoints",
            lambda one, at: self._into.endpoints.append(self.endpoint(one, at)),
        )
        self._each(engine, "engine.mcp", "mcp", lambda one, at: self._into.mcp.append(self._mcp(one, at)))
        default = engine.get("defaultModel")
        self._into.default_model = default if isinstance(default, str) else None
        self._each_skill(list_of(engine.get("skills")))
        self._each(document, "backends", "backends", lambda one, at: self._into.backends.append(self.backend(one, at)))

    def _each(self, holder: JsonObject, place: str, name: str, take: Callable[[JsonObject, str], None]) -> None:
        for number, one in enumerate(list_of(holder.get(name))):
            at = f"{place}.{number}"
            try:
                if not is_object(one):
                    raise Fault(f"{at}: an object is expected")
                take(one, at)
            except (Fault, MappingError, OSError) as fault:
                self._into.faults.append(f"{FILE}: {fault}.")

    def _each_skill(self, skills: Sequence[JsonValue]) -> None:
        for number, one in enumerate(skills):
            if not isinstance(one, str):
                continue
            try:
                self._into.skills.append(_path(one, f"engine.skills.{number}"))
            except Fault as fault:
                self._into.faults.append(f"{FILE}: {fault}.")

    def endpoint(self, one: JsonObject, at: str) -> Endpoint:
        """One endpoint; its id must be new."""
        endpoint_id = _id(one, at, {known.settings.id for known in self._into.endpoints})
        dialect = _DIALECTS.get(str(one.get("dialect", "chat")))
        if dialect is None:
            raise Fault(f"{at}.dialect: one of {', '.join(_DIALECTS)} is expected")
        more: dict[str, Any] = {}
        if "models" in one:
            more["models"] = tuple({"id": name} for name in _texts(one, "models", at))
        if "thinking" in one:
            more["thinking"] = tuple(_texts(one, "thinking", at))
        return Endpoint(EndpointSettings(endpoint_id, dialect, _url(one, at), self._key(one, at), **more))

    def _mcp(self, one: JsonObject, at: str) -> McpSettings:
        server_id = _id(one, at, {known.id for known in self._into.mcp})
        asks = one.get("asks") is not False
        if "url" in one:
            return McpSettings(server_id, url=_url(one, at), asks=asks)
        command = _texts(one, "command", at)
        if not command:
            raise Fault(f"{at}: command or url is missing")
        return McpSettings(server_id, command, environment=self._environment(one, at), asks=asks)

    def backend(self, one: JsonObject, at: str) -> ConfiguredBackend:
        """One backend; its id must be new."""
        backend_id = _id(one, at, {ENGINE_ID, CANVAS, *(known.id for known in self._into.backends)})
        kind, title = one.get("kind"), one.get("title")
        match kind:
            case "http":
                backend: Backend = HttpBackend(ProtocolClient(_url(one, at), self._key(one, at)))
            case "mapped":
                mapping = load_mapping(self._surroundings.data_folder / _text(one, "mapping", at))
                backend = MappedBackend(Engine(mapping, _url(one, at), self._key(one, at)))
            case "pi" | "opencode" | "acp":
                backend = self._program(kind, backend_id, one, at)
            case _:
                raise Fault(f"{at}.kind: one of pi, opencode, acp, http, mapped is expected")
        return ConfiguredBackend(backend_id, title if isinstance(title, str) and title else backend_id, kind, backend)

    def _program(self, kind: str, backend_id: str, one: JsonObject, at: str) -> Backend:
        command = tuple(_texts(one, "command", at)) or COMMANDS[kind]
        if not command:
            raise Fault(f"{at}.command: the program and its arguments are expected")
        folder = _path(_text(one, "folder", at), f"{at}.folder")
        if not folder.is_absolute():
            raise Fault(f"{at}.folder: an absolute path is expected")
        environment = self._environment(one, at)
        match kind:
            case "pi":
                sessions = one.get("sessions")
                known = isinstance(sessions, str)
                given = _path(str(sessions), f"{at}.sessions") if known else pi_sessions(folder, environment)
                return PiBackend(PiSettings(command, folder, given, environment))
            case "opencode":
                return OpenCodeBackend(OpenCodeSettings(command, folder, environment))
            case _:
                store = self._surroundings.store_of(backend_id)
                return AcpBackend(AcpSettings(command, folder, environment), store)

    def _environment(self, one: JsonObject, at: str) -> dict[str, str]:
        """The person's own environment and what the file adds to it."""
        added = object_of(one.get("environment"))
        if not all(isinstance(value, str) for value in added.values()):
            raise Fault(f"{at}.environment: an object of texts is expected")
        return {**cleaned(self._surroundings.environment), **{name: str(value) for name, value in added.items()}}

    def _key(self, one: JsonObject, at: str) -> KeyOf:
        if "keyVariable" in one:
            return key_in_environment(_text(one, "keyVariable", at), self._surroundings.environment)
        return self._surroundings.keys.key(_text(one, "key", at)) if "key" in one else no_key


def pi_sessions(folder: Path, environment: Mapping[str, str]) -> Path:
    """Where pi keeps the sessions of a folder."""
    home = Path(environment.get("PI_CODING_AGENT_DIR") or Path(environment.get("HOME", "~")).expanduser() / ".pi/agent")
    return home / "sessions" / f"--{str(folder).strip('/').replace('/', '-')}--"


def _id(one: JsonObject, at: str, taken: set[str]) -> str:
    given = one.get("id")
    if not isinstance(given, str) or _ID.fullmatch(given) is None:
        raise Fault(f"{at}.id: an id of a-z, 0-9 and hyphens is expected")
    if given in taken:
        raise Fault(f"{at}.id: {given!r} is taken")
    return given


def _text(one: JsonObject, name: str, at: str) -> str:
    given = one.get(name)
    if not isinstance(given, str) or not given:
        raise Fault(f"{at}.{name}: a text is expected")
    return _passable(given, f"{at}.{name}")


def _passable(text: str, at: str) -> str:
    """A text that a program can be given and a file can be called by."""
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise Fault(f"{at}: a text without NUL and without halves of characters is expected")
    return text


def _path(text: str, at: str) -> Path:
    try:
        return Path(_passable(text, at)).expanduser()
    except RuntimeError:
        raise Fault(f"{at}: there is no home folder of that name") from None


def _url(one: JsonObject, at: str) -> str:
    url = _text(one, "url", at)
    if not url.startswith(("http://", "https://")):
        raise Fault(f"{at}.url: an address that begins with http:// or https:// is expected")
    try:
        parts = urlsplit(url)
        has_secret, has_host = parts.username is not None or parts.password is not None, bool(parts.hostname)
    except ValueError:
        has_secret, has_host = False, False
    if not has_host:
        raise Fault(f"{at}.url: an address with the name of a server is expected")
    if has_secret:
        raise Fault(f"{at}.url: a name and a password do not belong into an address; type the key in")
    return url


def server_of(url: str) -> tuple[str, str]:
    """What tells one server from another: a key goes to the one that it was given for."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", url  # no address: none but itself is the same
    return parts.scheme, parts.netloc


def _texts(one: JsonObject, name: str, at: str) -> Sequence[str]:
    given = one.get(name, [])
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise Fault(f"{at}.{name}: a list of texts is expected")
    return [_passable(str(item), f"{at}.{name}.{number}") for number, item in enumerate(given)]
