"""The requests of a timeline. Spec: agents, requests on a timeline."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping

from msgspec import structs

from cardloom_protocol.usage import MOST_REQUESTS, TimelineRequest

from .databases import tool_calls
from .message_folders import calls_of_parts
from .readers.opencode import KILO, OPENCODE
from .store import Scope, UsageStore


def timeline_requests(store: UsageStore, scope: Scope, newest: int = MOST_REQUESTS + 1) -> tuple[TimelineRequest, ...]:
    """The newest requests of a scope by time, with their tools; one more than a timeline keeps, so that it can tell.

    Tools that a database holds are looked up there now and are missing when it is gone.
    """
    found = store.records_with_logs(scope, newest)
    asked: defaultdict[str, list[str]] = defaultdict(list)
    for record, harness, path in found:
        if harness in (OPENCODE, KILO):
            asked[path].append(record.key)
    calls = {key: found for path, keys in asked.items() for key, found in _calls(path, keys).items()}
    return tuple(
        structs.replace(record, calls=calls.get(record.key, record.calls)).as_timeline_request()
        for record, _, _ in found
    )


def _calls(path: str, keys: list[str]) -> Mapping[str, tuple[tuple[str, str], ...]]:
    if path.endswith(os.sep):
        return {key: calls_of_parts(path, key) for key in keys}
    return tool_calls(path, keys)
