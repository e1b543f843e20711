"""The requests of a timeline. Spec: agents, requests on a timeline."""

from __future__ import annotations

from collections import defaultdict

from msgspec import structs

from cardloom_protocol.usage import MOST_REQUESTS, TimelineRequest

from .databases import tool_calls
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
    calls = {key: found for path, keys in asked.items() for key, found in tool_calls(path, keys).items()}
    return tuple(
        structs.replace(record, calls=calls.get(record.key, record.calls)).as_timeline_request()
        for record, _, _ in found
    )
