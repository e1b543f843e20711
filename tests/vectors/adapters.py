"""One function a vector file: takes the recorded input, calls the public API, shapes the answer like the record.

Nothing is decided here. Imports stand inside the functions so that a file can be run without the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Adapter = Callable[[Any], Any]


def schema_defs(case: Any) -> Any:
    from cardloom_protocol.schema import check_definition

    names = {"allowPattern": "allow_pattern", "maxNodes": "max_nodes", "maxDepth": "max_depth"}
    options = {names[key]: value for key, value in case.items() if key in names}
    return [{"path": issue.path, "keyword": issue.keyword} for issue in check_definition(case["schema"], **options)]


def schema_values(case: Any) -> Any:
    from cardloom_protocol.schema import compile_schema

    names = {"maxIssues": "max_issues", "budget": "budget", "maxDepth": "max_depth"}
    options = {names[key]: value for key, value in case.items() if key in names}
    issues = compile_schema(case["schema"]).check(case["value"], **options)
    return [{"path": issue.path, "keyword": issue.keyword} for issue in issues]


# Keep sorted by file name.
ADAPTERS: dict[str, Adapter] = {
    "schema_defs": schema_defs,
    "schema_values": schema_values,
}
