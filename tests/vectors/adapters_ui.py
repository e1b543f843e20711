"""The adapters of the session protocol's vectors that need no store; see adapters.py for what an adapter is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Adapter = Callable[[Any], Any]


def _plain(value: Any) -> Any:
    """A value as JSON has it: infinities become null."""
    from cardloom_protocol.jstext import compact_json

    return json.loads(compact_json(value))


def _guarded(guard: Callable[[Any], str], value: Any) -> Any:
    from cardloom_protocol.session import SessionError

    try:
        return {"ok": True, "value": guard(value)}
    except SessionError as error:
        return {"ok": False, "code": error.code}


def asset_names(case: Any) -> Any:
    from cardloom_protocol.session import asset_name

    return {**case, "result": _guarded(asset_name, case["value"])}


def safe_ids(case: Any) -> Any:
    from cardloom_protocol.session import safe_id

    return {**case, "result": _guarded(lambda value: safe_id(value, case.get("kind", "id")), case["value"])}


def content_hash(case: Any) -> Any:
    from cardloom_protocol.session import canonical_content, content_hash, read_json

    parts: Any = read_json(case["parts_json"])
    role = case["role"]
    return {**case, "canonical": canonical_content(role, parts), "hash": content_hash(role, parts)}


def paginate(case: Any) -> Any:
    from cardloom_protocol.session import page_of

    def page(items: list[int], limit: Any = None, cursor: Any = None) -> dict[str, Any]:
        if isinstance(limit, str):
            limit = float(limit.split()[0])
        found = page_of(items, limit, cursor)
        return {"items": found.items} if found.cursor is None else {"items": found.items, "cursor": found.cursor}

    if "walk" not in case:
        return {**case, "result": page(case["items"], **(case["opts"] or {}))}
    items, limit = list(range(case["walk"]["total"])), case["walk"]["limit"]
    pages = [page(items, limit)]
    while "cursor" in pages[-1]:
        pages.append(page(items, limit, pages[-1]["cursor"]))
    return {**case, "pages": pages}


def parts_helpers(case: Any) -> Any:
    from cardloom_protocol.session import NodeInput, replace_text_parts

    if case["fn"] == "parts_of":
        return {**case, "result": NodeInput.from_wire(case["input"]).content()}
    return {**case, "result": replace_text_parts(case["parts"], case["text"])}


def gitignore(case: Any) -> Any:
    from cardloom_protocol.session import is_ignored_path, parse_gitignore

    rules = {folder: parse_gitignore(text) for folder, text in case["gitignore"].items()}
    return {**case, "ignored": is_ignored_path(case["path"], case["is_dir"], rules.get)}


def tree(case: Any) -> Any:
    from cardloom_protocol.session import StoredSession, active_leaf, to_history, to_thread, tree_of

    session = StoredSession.from_wire(case["model"])
    found = tree_of(session.nodes)
    leaf = active_leaf(found, session.meta)
    everything = range(len(session.nodes))
    seen = {
        "duplicate_warnings": len(found.duplicates),
        "root_indexes": found.roots,
        "parent_index": found.parents,
        "child_indexes": found.children,
        "active_leaf_index": leaf,
        "active_path_indexes": found.path(leaf),
        "sibling_indexes": [found.siblings(at) for at in everything],
        "swipe": [found.swipes(at) for at in everything],
        "descend_index": [found.descend(at) for at in everything],
        "history": to_history(session),
        "thread": to_thread(session),
    }
    return {**case, "expect": seen}


def nr_chat_format(case: Any) -> Any:
    from cardloom_protocol.session import BadRequest, CodecError
    from cardloom_protocol.session.codecs import json5, nr_chat

    def parsed(text: str, *, spans: bool) -> list[dict[str, Any]]:
        return [_chat_message(message, text if spans else None) for message in nr_chat.parse_chat(text)]

    def seen() -> dict[str, Any]:
        match case["kind"]:
            case "parse":
                text = nr_chat.write_chat(nr_chat.parse_chat(case["text"]))
                return {"messages": parsed(case["text"], spans=True), "restringified": text}
            case "stringify":
                text = nr_chat.write_chat([_given_message(message) for message in case["messages"]])
                return {"text": text, "reparsed": parsed(text, spans=False)}
            case "escape_body":
                return {"escaped": nr_chat.escape_body(case["body"])}
            case "fence_for":
                return {"fence": nr_chat.fence_for(case["guest"])}
            case "json5_stringify":
                from cardloom_protocol.session import read_json

                return {"text": json5.write_json5(read_json(case["value_json"]))}
            case "json5_parse":
                return {"value": _plain(json5.read_json5(case["text"]))}
        raise ValueError(case["kind"])

    try:
        return {name: value for name, value in case.items() if name != "error"} | seen()
    except CodecError as error:
        return {**case, "error": {} if error.line is None else {"line": error.line}}
    except BadRequest:
        return {**case, "error": {}}


def _chat_message(message: Any, text: str | None) -> dict[str, Any]:
    shown = {"role": message.role, "body": message.body, "name": message.name, "rawMeta": message.raw_meta}
    shown = {name: value for name, value in shown.items() if value is not None}
    if message.meta is not None:
        shown["meta"] = _plain(message.meta)
    if text is not None:
        shown["span"] = _span(text, message.span)
    return shown


def _span(text: str, span: Any) -> dict[str, int]:
    from cardloom_protocol.jstext import utf16_length

    return {"start": utf16_length(text[: span.start]), "end": utf16_length(text[: span.end])}


def _given_message(message: Any) -> Any:
    from cardloom_protocol.session.codecs.nr_chat import ChatMessage

    return ChatMessage(
        message["role"], message["body"], message.get("name"), message.get("meta"), message.get("rawMeta")
    )


def nr_chat_load(case: Any) -> Any:
    from cardloom_protocol.session import CodecError, to_history
    from cardloom_protocol.session.codecs.nr_chat_session import nr_chat_meta, nr_chat_session, parse_nr_chat

    try:
        file = parse_nr_chat(case["text"])
    except CodecError:
        return {**case, "error": {}}
    session = nr_chat_session(file)
    return {
        **case,
        "model": session.to_wire(),
        "session_meta": nr_chat_meta(file),
        "protocol": {"session": session.info, "messages": to_history(session)},
        "header_span": None if file.header is None else _span(file.text, file.header.span),
        "node_spans": [_span(file.text, node.span) for node in file.nodes],
    }


# Keep sorted by file name.
ADAPTERS: dict[str, Adapter] = {
    "asset_names": asset_names,
    "content_hash": content_hash,
    "gitignore": gitignore,
    "nr_chat_format": nr_chat_format,
    "nr_chat_load": nr_chat_load,
    "paginate": paginate,
    "parts_helpers": parts_helpers,
    "safe_ids": safe_ids,
    "tree": tree,
}
