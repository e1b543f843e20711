"""Names that a card package cannot have, and the names under which agents see its tools.

Spec: manifest, reserved names; tools for agents.
"""

from ..jstext import utf16_cut

MAX_TOOL_NAME_CHARS = 64

RESERVED_NAMES: tuple[str, ...] = (
    "neurosquad",
    "neurosquad-card",
    "custom",
    "canvas",
    "browser",
    "terminal",
    "agent",
    "note",
    "todo",
    "kanban",
    "host",
    "system",
    "telegram",
    "image",
    "reference",
    "ports",
    "web-watch",
    "watch",
    "timer",
    "sticky",
    "standup",
    "squad",
    "mcp",
    "skill",
    "rtk",
    "caveman",
    "mem0",
    "codegraph",
    "graphify",
    "context7",
    "memory",
    "official",
)
"""Package names that belong to the host and to well-known tools."""

_BUILTIN_TOOL_FAMILIES: dict[str, str] = {
    "agent": "read send set_model switch_harness wait",
    "browser": "click history navigate press_key screenshot snapshot type",
    "canvas": "connect disconnect list remove_card spawn_card",
    "codegraph": (
        "check_index_coverage detect_changes get_architecture get_code_snippet get_file_outline get_graph_schema "
        "index_status query_graph reindex search_code search_graph trace_path"
    ),
    "context7": "query_docs resolve_library_id",
    "graphify": "affected community god_nodes neighbors node path query reindex stats",
    "kanban": "add move read remove write",
    "memory": "add delete get list search update",
    "neurosquad": "connections models",
    "note": "append read write",
    "ports": "list",
    "reference": "get list",
    "skill": "load read_file",
    "squad": "status",
    "telegram": "read send",
    "terminal": "read run send_keys",
    "todo": "add read remove set write",
    "watch": "check_now status",
}

BUILTIN_TOOLS: tuple[str, ...] = tuple(
    f"{family}_{act}" for family, acts in _BUILTIN_TOOL_FAMILIES.items() for act in acts.split()
)
"""Full tool names that a card must not take, sorted."""


def tool_full_name(package: str, tool: str) -> str:
    """Gives the name under which agents see a card's tool: `my-card` and `add` make `my_card_add`.

    At most 64 UTF-16 units; the rest is cut off.
    """
    return utf16_cut(f"{package.replace('-', '_')}_{tool}", MAX_TOOL_NAME_CHARS)
