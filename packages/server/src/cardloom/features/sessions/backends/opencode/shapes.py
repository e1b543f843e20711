"""OpenCode's sessions and messages as ours. Pure.

One message of OpenCode holds calls and their results; here the results are a message of role `tool` behind it, whose id
is made of the other's. Spec: session protocol, parts; adapters (OpenCode).
"""

from __future__ import annotations

from typing import Final, cast

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.errors import NotSupported
from cardloom_protocol.session.hashing import content_hash
from cardloom_protocol.session.info import ModelInfo, SessionInfo, SessionModel
from cardloom_protocol.session.json_text import JsonObject, is_number, is_object, list_of, object_of, text_of
from cardloom_protocol.session.messages import Message, Usage
from cardloom_protocol.session.parts import AnyPart
from cardloom_sdk.stores.sources import iso_of_ns

RESULTS: Final = ".results"
OWN: Final = "cardloom"
"""The key of a session's metadata in OpenCode under which we keep what it has no place for."""

_SILENT: Final = frozenset({"step-start", "step-finish", "snapshot"})
_ABORTED: Final = "MessageAbortedError"


def session_info(found: JsonObject) -> SessionInfo:
    """A session."""
    time, own = object_of(found.get("time")), own_metadata(found)
    info: SessionInfo = {"id": text_of(found.get("id"))}
    if text_of(found.get("title")):
        info["title"] = text_of(found["title"])
    for name, key in (("createdAt", "created"), ("updatedAt", "updated")):
        at = time.get(key)
        if is_number(at):
            info[name] = iso_of_ns(int(at) * 1_000_000)  # type: ignore[literal-required]
    model = session_model(found)
    if model is not None:
        info["model"] = model
    parent = text_of(own.get("parentSessionId")) or text_of(found.get("parentID"))
    if parent:
        info["parentSessionId"] = parent
    if text_of(own.get("forkMessageId")):
        info["forkMessageId"] = text_of(own["forkMessageId"])
    return info


def own_metadata(found: JsonObject) -> JsonObject:
    """What we keep beside a session."""
    return object_of(object_of(found.get("metadata")).get(OWN))


def session_model(found: JsonObject) -> SessionModel | None:
    """The model that was chosen for a session, else the one that it last used."""
    chosen = object_of(own_metadata(found).get("model"))
    if text_of(chosen.get("model")):
        return cast(SessionModel, chosen)
    used = object_of(found.get("model"))
    if not text_of(used.get("id")):
        return None
    return {"model": f"{text_of(used.get('providerID'))}/{text_of(used.get('id'))}"}


def model_infos(found: JsonObject) -> list[ModelInfo]:
    """The models of all providers; the default one of the first provider is marked."""
    models: list[ModelInfo] = []
    for provider in (object_of(one) for one in list_of(found.get("providers"))):
        for own_id, told in object_of(provider.get("models")).items():
            model = object_of(told)
            info: ModelInfo = {"id": f"{text_of(provider.get('id'))}/{own_id}", "provider": text_of(provider.get("id"))}
            if text_of(model.get("name")):
                info["name"] = text_of(model["name"])
            levels = list(object_of(model.get("variants")))
            if levels:
                info["thinking"] = levels
            window = object_of(model.get("limit")).get("context")
            if is_number(window):
                info["contextWindow"] = int(window)
            models.append(info)
    return models


def messages_of(found: list[JsonValue]) -> list[Message]:
    """A session's messages."""
    messages: list[Message] = []
    for one in (object_of(each) for each in found):
        info = object_of(one.get("info"))
        parts = [object_of(part) for part in list_of(one.get("parts"))]
        message_id, role = text_of(info.get("id")), text_of(info.get("role"))
        messages.append(_message(message_id, role, said_parts(info, parts), meta_of(info)))
        results = result_parts(parts)
        if results:
            messages.append(_message(message_id + RESULTS, "tool", results, {}))
    return messages


def said_parts(info: JsonObject, parts: list[JsonObject]) -> list[AnyPart]:
    """What a message says: texts, thoughts, calls, files; last what went wrong. Empty texts say nothing."""
    said = [part for part in map(said_part, parts) if part is not None]
    error = object_of(info.get("error"))
    if error:
        message = text_of(object_of(error.get("data")).get("message")) or text_of(error.get("name"))
        said.append({"type": "error", "text": message, "meta": {"code": text_of(error.get("name"))}})
    return said


def said_part(part: JsonObject) -> AnyPart | None:
    """One part, None for what is OpenCode's own book-keeping."""
    kind, text = text_of(part.get("type")), text_of(part.get("text"))
    match kind:
        case "text":
            return {"type": "text", "text": text} if text else None
        case "reasoning":
            return {"type": "thinking", "text": text} if text else None
        case "tool":
            call: JsonObject = {"callId": text_of(part.get("callID")), "name": text_of(part.get("tool"))}
            return {"type": "tool_use", "data": object_of(part.get("state")).get("input", {}), "meta": call}
        case "file":
            return _file_part(part)
        case _:
            return None if kind in _SILENT else {"type": "custom", "data": part, "meta": {"hint": f"opencode.{kind}"}}


def result_parts(parts: list[JsonObject]) -> list[AnyPart]:
    """The results of a message's calls, in the order of the calls."""
    results: list[AnyPart] = []
    for part in parts:
        state = object_of(part.get("state"))
        if part.get("type") == "tool" and state.get("status") in ("completed", "error"):
            is_error = state["status"] == "error"
            text = text_of(state.get("error")) if is_error else text_of(state.get("output"))
            meta: JsonObject = {"callId": text_of(part.get("callID")), "name": text_of(part.get("tool"))}
            results.append({"type": "tool_result", "text": text, "meta": {**meta, "error": is_error}})
    return results


def meta_of(info: JsonObject) -> JsonObject:
    """When, by which model and for how many tokens a message was made."""
    meta: JsonObject = {}
    at = object_of(info.get("time")).get("created")
    if is_number(at):
        meta["createdAt"] = iso_of_ns(int(at) * 1_000_000)
    if text_of(info.get("modelID")):
        meta["model"] = f"{text_of(info.get('providerID'))}/{text_of(info['modelID'])}"
    usage = usage_of(info)
    if usage is not None:
        meta["usage"] = cast(JsonObject, usage)
    return meta


def usage_of(info: JsonObject) -> Usage | None:
    """The tokens of an answer: what was read, cached or not; what was written, thoughts included."""
    tokens = object_of(info.get("tokens"))
    cache = object_of(tokens.get("cache"))
    read = [tokens.get("input"), cache.get("read"), cache.get("write")]
    written = [tokens.get("output"), tokens.get("reasoning")]
    if not is_number(tokens.get("input")):
        return None
    return {"input": _sum(read), "output": _sum(written)}


def was_aborted(info: JsonObject) -> bool:
    """Whether an answer was ended by somebody."""
    return object_of(info.get("error")).get("name") == _ABORTED


def prompt_parts(parts: list[AnyPart]) -> list[JsonValue]:
    """What a person says, as OpenCode takes it. NOT_SUPPORTED for a part that it has no form for."""
    said: list[JsonValue] = []
    for part in parts:
        meta, text = object_of(part.get("meta")), text_of(part.get("text"))
        url = text_of(meta.get("url"))
        match part.get("type"):
            case "text":
                said.append({"type": "text", "text": text})
            case "image" | "file" if url:
                file: JsonObject = {"type": "file", "url": url, "mime": text_of(meta.get("mime")) or "text/plain"}
                if text_of(meta.get("name")):
                    file["filename"] = text_of(meta["name"])
                said.append(file)
            case "file":
                said.append({"type": "text", "text": f"[file {text_of(meta.get('name'))}]\n{text}"})
            case kind:
                raise NotSupported("parts", f"OpenCode takes no part of type {compact_json(kind)}.")
    return said


def _message(message_id: str, role: str, parts: list[AnyPart], meta: JsonObject) -> Message:
    message: Message = {"id": message_id, "role": role, "parts": parts, "hash": content_hash(role, parts)}
    if meta:
        message["meta"] = meta
    return message


def _file_part(part: JsonObject) -> AnyPart:
    mime = text_of(part.get("mime"))
    meta: JsonObject = {"mime": mime, "url": text_of(part.get("url"))}
    if mime.startswith("image/"):
        return {"type": "image", "meta": meta}
    return {"type": "file", "meta": {**meta, "name": text_of(part.get("filename")) or "file"}}


def _sum(counts: list[JsonValue]) -> int:
    return sum(int(count) for count in counts if is_number(count))


def objects(found: object) -> list[JsonObject]:
    """The objects of a list."""
    return [one for one in found if is_object(one)] if isinstance(found, list) else []
