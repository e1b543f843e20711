"""Card methods that reach beyond the card: agents, terminals, ports, tools, network, files, clipboard, usage.

Rows of the method table (see `methods_card`). Spec: cards, methods.
"""

from __future__ import annotations

from .limits import limit
from .method_row import MethodRow
from .param_shapes import anything, boolean, ident, integer, items, nothing, one_of, record, text, url


def _base64_chars(max_bytes: int) -> int:
    """Characters that `max_bytes` take as base64, with the slack of one padded group that the contract allows."""
    return (max_bytes * 4 + 2) // 3 + 4


_NETWORK = ("network", "network.local")
_RUN_MS = integer(limit("terminalRunTimeoutMinMs"), limit("terminalRunTimeoutMs"))
_FETCH_MS = integer(1000, limit("netMaxTimeoutMs"))
_AT_MS = integer(0, 8_640_000_000_000)
_PATH = text(0, 1024)
_PORT = ident(32)
_ENCODING = one_of(("utf8", "base64"))
_CALL_RANGE = record({"agentId": ident(), "since": _AT_MS}, {"until": _AT_MS})
_TOOL_TEXT = record({"type": {"const": "text"}, "text": text(0, limit("toolResultBytes"))})
_TOOL_IMAGE = record(
    {
        "type": {"const": "image"},
        "data": text(1, limit("toolResultBytes")),
        "mimeType": one_of(("image/png", "image/jpeg", "image/webp", "image/gif")),
    }
)
_TOOL_RESULT = record(
    {"content": items({"anyOf": [_TOOL_TEXT, _TOOL_IMAGE]}, min_items=1, max_items=16)}, {"isError": boolean()}
)

AGENTS_ROWS = (
    MethodRow(
        "agents.list",
        nothing(),
        "agents",
        "Lists the agents and terminals of the workspace.",
        "AgentInfo[]",
        permissions_any_of=("agents.read",),
        built=True,
    ),
    MethodRow(
        "agents.get",
        record({"agentId": ident()}),
        "agents",
        "Gives one agent or terminal.",
        "AgentInfo",
        permissions_any_of=("agents.read",),
        built=True,
    ),
    MethodRow(
        "agents.readScreen",
        record({"agentId": ident()}, {"lines": integer(1, limit("screenLines"))}),
        "terminals",
        "Reads the text on the screen of a joined agent or terminal.",
        "{text}",
        permissions_any_of=("agents.output",),
        needs_arrow="agentId",
        built=True,
    ),
    MethodRow(
        "agents.lastReply",
        record({"agentId": ident()}),
        "agents",
        "Gives the final message of a joined agent's last turn.",
        "{text|null, at|null}",
        permissions_any_of=("agents.output",),
        needs_arrow="agentId",
        built=True,
    ),
    MethodRow(
        "agents.prompt",
        record(
            {"agentId": ident(), "text": ident(limit("promptChars"))},
            {"submit": boolean(), "whenBusy": one_of(("queue", "send", "fail"))},
        ),
        "agents",
        "Sends a prompt to a joined agent, or queues it while the agent is busy.",
        "{delivered: sent|queued|inserted}",
        permissions_any_of=("agents.prompt",),
        per_minute=limit("promptsPerMinute"),
        needs_arrow="agentId",
        built=True,
    ),
    MethodRow(
        "terminals.run",
        record({"agentId": ident(), "command": ident(limit("terminalWriteChars"))}, {"timeoutMs": _RUN_MS}),
        "terminals",
        "Runs one command in a joined terminal and waits for its end.",
        "{exitCode|null, output, truncated, timedOut}",
        permissions_any_of=("terminals.write",),
        per_minute=30,
        needs_arrow="agentId",
        built=True,
    ),
    MethodRow(
        "terminals.write",
        record({"agentId": ident(), "text": ident(limit("terminalWriteChars"))}, {"submit": boolean()}),
        "terminals",
        "Types text into a joined terminal.",
        permissions_any_of=("terminals.write",),
        per_minute=60,
        needs_arrow="agentId",
        built=True,
    ),
)

PORTS_ROWS = (
    MethodRow("ports.describe", nothing(), "ports", "Gives the card's own ports.", "{inputs[], outputs[]}", built=True),
    MethodRow(
        "ports.peers", nothing(), "ports", "Lists the cards joined to this one by arrows.", "PeerInfo[]", built=True
    ),
    MethodRow(
        "ports.emit",
        record({"port": _PORT, "data": anything()}),
        "ports",
        "Sends a value to every downstream card with a fitting input.",
        "{delivered}",
        built=True,
    ),
    MethodRow(
        "ports.send",
        record({"to": ident(), "port": _PORT, "data": anything()}, {"input": _PORT}),
        "ports",
        "Sends a value to one downstream card, to one of its inputs if named.",
        "{delivered}",
        needs_arrow="to",
        built=True,
    ),
    MethodRow(
        "ports.request",
        record({"to": ident(), "input": _PORT, "data": anything()}, {"timeoutMs": integer(100, 120_000)}),
        "ports",
        "Asks a joined card a question and waits for its answer.",
        "{data}",
        needs_arrow="to",
        built=True,
    ),
    MethodRow(
        "ports.respond",
        record({"requestId": ident()}, {"data": anything(), "error": text(0, 1000)}),
        "ports",
        "Answers a question that another card asked.",
        built=True,
    ),
    MethodRow(
        "ports.read",
        record({"from": ident(), "port": _PORT}),
        "ports",
        "Reads the kept value of a joined card's output, whichever way the arrow points.",
        "{data, at} or null",
        needs_arrow="from",
        built=True,
    ),
)

TOOLS_ROWS = (
    MethodRow(
        "tools.respond",
        record({"callId": ident()}, {"result": _TOOL_RESULT, "error": text(0, 4000)}),
        "cards",
        "Answers an agent's tool call.",
        built=True,
    ),
    MethodRow(
        "tools.progress",
        record({"callId": ident(), "message": ident(200)}),
        "cards",
        "Tells the calling agent how far the tool is.",
        min_interval_ms=250,
        built=True,
    ),
    MethodRow(
        "tools.setEnabled",
        record({"tool": ident(40), "enabled": boolean()}),
        "cards",
        "Shows or hides one of the card's tools.",
        per_minute=30,
        built=True,
    ),
)

NET_ROWS = (
    MethodRow(
        "net.fetch",
        record(
            {"url": url(8192)},
            {
                "method": one_of(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")),
                "headers": {"type": "object", "maxProperties": 64, "additionalProperties": text(0, 8192)},
                "body": text(0, _base64_chars(limit("netRequestBodyBytes"))),
                "bodyEncoding": one_of(("text", "base64")),
                "responseType": one_of(("text", "json", "base64", "stream")),
                "timeoutMs": _FETCH_MS,
                "requestId": ident(64),
            },
        ),
        "cards",
        "Makes an HTTP request to a host that the permission covers.",
        "{requestId, status, statusText, headers, url, body? | json?, truncated?}",
        permissions_any_of=_NETWORK,
        per_minute=limit("netPerMinute"),
        large_request=True,
        large_response=True,
        built=True,
    ),
    MethodRow(
        "net.abort",
        record({"requestId": ident(64)}),
        "cards",
        "Ends a running request.",
        permissions_any_of=_NETWORK,
        built=True,
    ),
)

FILES_ROWS = (
    MethodRow(
        "fs.stat",
        record({"path": _PATH}),
        "files",
        "Describes one file or folder of the workspace.",
        "{path, type, size, mtimeMs}",
        permissions_any_of=("fs.read",),
        built=True,
    ),
    MethodRow(
        "fs.list",
        record({"path": _PATH}, {"recursive": boolean(), "maxEntries": integer(1, limit("fsListEntries"))}),
        "files",
        "Lists a folder.",
        "{entries: [{path, type, size?}], truncated}",
        permissions_any_of=("fs.read",),
        large_response=True,
        built=True,
    ),
    MethodRow(
        "fs.read",
        record({"path": _PATH}, {"encoding": _ENCODING, "maxBytes": integer(1, limit("fsReadBytes"))}),
        "files",
        "Reads a file.",
        "{data, encoding, size, truncated}",
        permissions_any_of=("fs.read",),
        large_response=True,
        built=True,
    ),
    MethodRow(
        "fs.write",
        record(
            {"path": _PATH, "data": text(0, _base64_chars(limit("fsWriteBytes")))},
            {"encoding": _ENCODING, "createDirs": boolean(), "ifMtimeMs": {"type": "number"}},
        ),
        "files",
        "Writes a file whole; `ifMtimeMs` refuses when it changed meanwhile.",
        "{path, type, size, mtimeMs}",
        permissions_any_of=("fs.write",),
        large_request=True,
        built=True,
    ),
    MethodRow(
        "fs.mkdir",
        record({"path": _PATH}),
        "files",
        "Makes a folder.",
        "{path, type, size, mtimeMs}",
        permissions_any_of=("fs.write",),
        built=True,
    ),
    MethodRow(
        "fs.trash",
        record({"path": _PATH}),
        "files",
        "Moves a file or folder to the system's trash.",
        permissions_any_of=("fs.write",),
        per_minute=60,
        built=True,
    ),
    MethodRow(
        "fs.watch",
        record({"path": _PATH}, {"recursive": boolean()}),
        "files",
        "Reports changes below a path as `fs.changed`.",
        "{watchId}",
        permissions_any_of=("fs.read",),
        built=True,
    ),
    MethodRow(
        "fs.unwatch",
        record({"watchId": ident()}),
        "files",
        "Ends a watch.",
        permissions_any_of=("fs.read",),
        built=True,
    ),
)

REST_ROWS = (
    MethodRow(
        "clipboard.writeText",
        record({"text": text(0, limit("clipboardChars"))}),
        "cards",
        "Puts text on the user's clipboard.",
        permissions_any_of=("clipboard.write",),
        min_interval_ms=limit("clipboardIntervalMs"),
        built=True,
    ),
    MethodRow(
        "usage.summary",
        record({"period": one_of(("today", "7d", "30d"))}),
        "usage",
        "Sums tokens and money of the workspace by agent.",
        "{period, from, to, rows[], totalCostMicroUsd, partial}",
        permissions_any_of=("usage.read",),
        per_minute=6,
        built=True,
    ),
    MethodRow(
        "agents.usage",
        _CALL_RANGE,
        "usage",
        "Sums the work of one joined agent in a span of time.",
        "AgentUsage",
        permissions_any_of=("usage.read",),
        per_minute=60,
        needs_arrow="agentId",
        since="1.1",
        built=True,
    ),
    MethodRow(
        "agents.timeline",
        _CALL_RANGE,
        "usage",
        "Gives one joined agent's requests, statuses and turns in a span of time.",
        "AgentTimeline",
        permissions_any_of=("usage.read",),
        per_minute=60,
        needs_arrow="agentId",
        since="1.2",
        built=True,
    ),
)
