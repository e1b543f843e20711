"""The adapters of the vectors that play steps on stores of sessions; see adapters.py for what an adapter is.

Stores are imported inside, so that the cases that need none run where only the protocol is installed.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Adapter = Callable[[Any], Any]


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


def _referred(argument: Any, results: list[Any]) -> Any:
    if isinstance(argument, dict) and "$ref" in argument:
        step, _, name = argument["$ref"].partition(".")
        return results[int(step)][name]
    if isinstance(argument, dict) and "$bytes" in argument:
        return bytes(argument["$bytes"])
    if isinstance(argument, dict):
        return {name: _referred(value, results) for name, value in argument.items()}
    return argument


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
            messages = to_history(await store.load(session_id))
            return [{name: value for name, value in one.items() if name != "meta"} for one in messages]
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
    "claude_load": claude_load,
    "nr_chat_ops": nr_chat_ops,
    "pi_roundtrip": pi_roundtrip,
    "store_contract": store_contract,
}
