"""The owner's methods about files of a workspace: the same functions as a card's `fs.*`, with the workspace named.

Rows of the canvas's table (see `methods_canvas`). Spec: files; decision 40.
"""

from __future__ import annotations

from typing import Final

from .method_row import MethodRow
from .methods_card_reach import FILES_ROWS
from .param_shapes import ident, record

_DOCS: Final = {
    "stat": "Describes one file or folder of a workspace.",
    "list": "Lists a folder; a recursive list leaves `.git` and `node_modules` out, unless it begins inside one.",
    "read": "Reads a file, at most 10 MiB.",
    "write": "Writes a file whole; `ifMtimeMs` refuses when it changed meanwhile.",
    "mkdir": "Makes a folder.",
    "trash": "Moves a file or folder to the system's trash.",
    "watch": "Reports changes below a path as `files.changed` until `files.unwatch` or the connection's end.",
    "unwatch": "Ends a watch.",
}
_NO_WORKSPACE: Final = "unwatch"


def _row(card_row: MethodRow) -> MethodRow:
    name = card_row.name.removeprefix("fs.")
    params = card_row.params_schema
    required = {} if name == _NO_WORKSPACE else {"workspaceId": ident()}
    optional = {key: shape for key, shape in params["properties"].items() if key not in params["required"]}
    required |= {key: params["properties"][key] for key in params["required"]}
    return MethodRow(
        f"files.{name}",
        record(required, optional),
        "files",
        _DOCS[name],
        card_row.result,
        ns="cardloom",
        large_request=card_row.large_request,
        large_response=card_row.large_response,
        built=True,
    )


OWNER_FILES_ROWS: Final = tuple(_row(row) for row in FILES_ROWS)
