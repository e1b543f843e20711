"""The adapters of the session protocol's vectors; see adapters.py for what an adapter is.

Files that need stores import them inside, so that the rest runs where only the protocol is installed.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
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
        return {**_without(case, "error"), **seen()}
    except CodecError as error:
        return {**case, "error": {} if error.line is None else {"line": error.line}}
    except BadRequest:
        return {**case, "error": {}}


def _without(case: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in case.items() if name not in names}


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


def claude_load(case: Any) -> Any:
    from cardloom_protocol.session import to_history
    from cardloom_protocol.session.codecs.claude import claude_session, parse_claude

    if case["kind"] == "ops":
        from cardloom_sdk.stores import ClaudeStore

        return _file_ops(
            case,
            "session.jsonl",
            lambda folder, made: ClaudeStore(folder, cwd="/w", now=made.now, new_id=made.new_id),
        )
    file = parse_claude(case["text"])
    session = claude_session(file, "session")
    return {
        **case,
        "model": session.to_wire(),
        "history_ids": [message["id"] for message in to_history(session)],
        "broken_lines_warned": 1 if file.broken_lines else 0,
    }


def pi_roundtrip(case: Any) -> Any:
    from cardloom_protocol.session import CodecError
    from cardloom_protocol.session.codecs import pi, pi_message

    match case["kind"]:
        case "load":
            try:
                file = pi.parse_pi(case["text"])
            except CodecError:
                return {**case, "error": {}}
            return {
                **case,
                "model": pi.pi_session(file).to_wire(),
                "reserialized": pi.serialize_pi(file),
                "entry_ids": [entry.id for entry in file.entries],
            }
        case "encode":
            return {**case, "message": pi_message.write_message(case["role"], case["parts"], case["display_name"])}
        case "file_name":
            return {**case, "file_name": pi.pi_file_name(case["id"], case["timestamp"])}
        case "reorder":
            return {**case, **_pi_reorder(case["entries"], case["id"])}
        case _:
            from cardloom_sdk.stores import PiStore

            return _file_ops(
                case,
                "s1.jsonl",
                lambda folder, made: PiStore(
                    folder, cwd="/w", now=made.now, new_session_id=made.new_id, new_node_id=made.new_id
                ),
            )


def _pi_reorder(entries: str, entry_id: str) -> dict[str, Any]:
    from cardloom_protocol.session import NotFound
    from cardloom_protocol.session.codecs import pi, pi_edit

    made = []
    for entry in entries.split():
        name, _, parent = entry.partition("<")
        data: Any = {"type": "message", "id": name, "parentId": parent or None}
        made.append(pi.PiEntry("", data))
    file = pi.new_pi_file(pi.pi_header("s", "t", "/w"), made)
    try:
        moved = pi_edit.move_pi_to_end(file, entry_id)
    except NotFound:
        moved = file
    return {
        "subtree": pi_edit.pi_subtree(file, entry_id),
        "siblings": pi_edit.pi_siblings(file, entry_id),
        "leaf": file.leaf_id,
        "reorder_to_activate": [entry.id for entry in pi_edit.activate_pi_branch(file, entry_id).entries],
        "move_to_end": [entry.id for entry in moved.entries],
    }


def nr_chat_ops(case: Any) -> Any:
    from cardloom_sdk.stores import NrChatStore

    return _file_ops(
        case,
        "s.mds",
        lambda folder, made: NrChatStore(folder, now=made.now, new_session_id=made.new_id, new_node_id=made.new_id),
    )


def store_contract(case: Any) -> Any:
    from cardloom_protocol.session import StoredSession
    from cardloom_sdk.stores import MemoryStore

    made = _Made()
    store = MemoryStore(map(StoredSession.from_wire, case.get("seed", ())), now=made.now, new_id=made.new_id)
    results: list[Any] = []
    steps = []
    for step in case["steps"]:
        arguments = [_referred(argument, results) for argument in step["args"]]
        outcome = _outcome(store, step["op"], arguments)
        if step["op"] == "version" and "result" in outcome:
            outcome["result"] = made.version(outcome["result"])
        results.append(outcome.get("result"))
        steps.append({"op": step["op"], "args": step["args"], **made.shown(outcome)})
    return {**case, "steps": steps}


class _Made:
    """Times and ids as a store asks for them, and how the record shows them."""

    def __init__(self) -> None:
        self._times = 0
        self._ids: list[str] = []
        self._versions: list[str] = []

    def now(self) -> str:
        self._times += 1
        return f"2030-01-01T00:00:{self._times // 1000:02d}.{self._times % 1000:03d}Z"

    def new_id(self) -> str:
        self._ids.append(f"made-id-{len(self._ids) + 1:06d}")
        return self._ids[-1]

    def shown(self, outcome: Any) -> Any:
        text = json.dumps(outcome)
        for number, made_id in enumerate(self._ids, 1):
            text = text.replace(made_id, f"<UUID{number}>")
        for time in range(1, self._times + 1):
            stamp = f"2030-01-01T00:00:{time // 1000:02d}.{time % 1000:03d}Z"
            text = text.replace(stamp, "<TS>").replace(stamp.replace(":", "-").replace(".", "-"), "<TSF>")
        return json.loads(text)

    def version(self, token: str) -> str:
        if token not in self._versions:
            self._versions.append(token)
        return f"<VER{self._versions.index(token) + 1}>"


def _referred(argument: Any, results: list[Any]) -> Any:
    if isinstance(argument, dict) and "$ref" in argument:
        step, _, name = argument["$ref"].partition(".")
        return results[int(step)][name]
    if isinstance(argument, dict) and "$bytes" in argument:
        return bytes(argument["$bytes"])
    if isinstance(argument, dict):
        return {name: _referred(value, results) for name, value in argument.items()}
    return argument


def _file_ops(case: Any, name: str, store_of: Callable[[Path, _Made], Any]) -> Any:
    """Runs the steps of a case on a store over one file, and shows that file after each."""
    made = _Made()
    steps = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path = folder / name
        if case["text"] is not None:
            path.write_bytes(case["text"].encode("utf-8"))
        store = store_of(folder, made)
        for step in case["steps"]:
            arguments = [_referred(argument, []) for argument in step["args"]]
            outcome = _outcome(store, step["op"], arguments)
            if path.exists():
                outcome["text_after"] = path.read_bytes().decode("utf-8")
            else:
                outcome["file_gone"] = True
            files = [other for other in folder.rglob("*") if other.is_file() and other != path]
            if files:
                others = {str(other.relative_to(folder)): other.read_bytes().decode("utf-8") for other in files}
                outcome["other_files"] = others
            steps.append({"op": step["op"], "args": step["args"], **made.shown(outcome)})
    return {**case, "steps": steps}


def _outcome(store: Any, op: str, arguments: list[Any]) -> dict[str, Any]:
    from cardloom_protocol.session import SessionError

    try:
        return {"result": asyncio.run(_call(store, op, arguments))}
    except SessionError as error:
        return {"error": {"code": error.code}}


async def _call(store: Any, op: str, arguments: list[Any]) -> Any:
    from cardloom_protocol.session import NodeInput, NodePatch, active_leaf, to_history, tree_of

    match op, arguments:
        case "capabilities", []:
            return store.capabilities
        case "list", [*given]:
            page = await store.list(**(given[0] if given else {}))
            return {"sessions": page.sessions} | ({} if page.cursor is None else {"cursor": page.cursor})
        case "load", [session_id]:
            return (await store.load(session_id)).to_wire()
        case "create", [options]:
            return await store.create(session_id=options.get("id"), info=options.get("info"))
        case "appendNode", [session_id, node]:
            return (await store.append_node(session_id, NodeInput.from_wire(node))).to_wire()
        case "editNode", [session_id, node_id, patch]:
            return (await store.edit_node(session_id, node_id, NodePatch.from_wire(patch))).to_wire()
        case "history", [session_id]:
            # The record leaves out when each message was made.
            return [_without(message, "meta") for message in to_history(await store.load(session_id))]
        case "tree", [session_id]:
            return [[node.id, node.parent] for node in (await store.load(session_id)).nodes]
        case "leaf", [session_id]:
            session = await store.load(session_id)
            leaf = active_leaf(tree_of(session.nodes), session.meta)
            return None if leaf is None else session.nodes[leaf].id
        case "assets.put", [session_id, name, data, *mime]:
            return {"ref": await store.put_asset(session_id, name, data, *mime)}
        case _:
            names = {
                "deleteNode": "delete_node",
                "hideNode": "hide_node",
                "setActiveLeaf": "set_active_leaf",
                "forkCopy": "fork_copy",
                "meta.get": "get_meta",
                "meta.patch": "patch_meta",
                "meta.set": "set_meta",
            }
            return await getattr(store, names.get(op, op))(*arguments)


# Keep sorted by file name.
ADAPTERS: dict[str, Adapter] = {
    "asset_names": asset_names,
    "claude_load": claude_load,
    "content_hash": content_hash,
    "gitignore": gitignore,
    "nr_chat_format": nr_chat_format,
    "nr_chat_load": nr_chat_load,
    "nr_chat_ops": nr_chat_ops,
    "paginate": paginate,
    "parts_helpers": parts_helpers,
    "pi_roundtrip": pi_roundtrip,
    "safe_ids": safe_ids,
    "store_contract": store_contract,
    "tree": tree,
}
