"""Plays the recorded exchanges between the card SDK and its host with a Python card.

`play` goes through the steps of one scenario: each message of the card has to be the recorded one, each thing seen what
was recorded. Scenarios that a headless card has no part in are named in `NOT_OURS` with the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from . import basics, messages
from .stage import Stage

Script = Callable[[Stage], Awaitable[None]]

NOT_OURS: Final[Mapping[str, str]] = {
    "connect_message": "a program has no window",
    "suspend": "a program is not suspended",
    "net_body_defaults": "a Python card takes every body as bytes, so each request names a response type",
    "net_abort_before_answer": "a Python card takes every body as bytes, so each request names a response type",
}
PATIENCE_S: Final = 60.0

SCRIPTS: Final[Mapping[str, Script]] = {
    "handshake_protocol_mismatch": basics.refused_handshake,
    "handshake_other_error": basics.refused_handshake,
    **{
        script.__name__: script
        for script in (
            basics.handshake,
            basics.handshake_timeout,
            basics.early_events,
            basics.ping,
            basics.ping_unanswered_pongs_block,
            basics.unbuffered_event,
            basics.buffer_cap_and_first_listener,
            basics.chrome_coalescing,
            basics.chrome_rate_limited,
            basics.chrome_other_error,
            basics.attention_lane,
            basics.in_flight_limit,
            basics.local_validation,
            basics.large_methods,
            basics.unknown_method_unchecked,
            basics.bad_host_messages,
            basics.request_timeouts,
            basics.host_supports,
            basics.close,
            basics.settings_and_context,
            basics.menu,
            messages.port_request,
            messages.port_request_no_handler,
            messages.port_request_bad_reply,
            messages.tool_call,
            messages.tool_call_invalid_result,
            messages.tool_call_cancel,
            messages.tool_call_deadline,
            messages.tool_call_before_handler,
            messages.net_stream,
            messages.net_stream_error,
            messages.fs_watch,
            messages.permissions_request,
            messages.topics,
            messages.output_topic,
            messages.topic_not_granted,
            messages.logs,
        )
    },
}
"""What the card of each scenario does; a scenario is either here or in `NOT_OURS`."""


def play(scenario: Mapping[str, Any]) -> None:
    """Plays one scenario; AssertionError where it goes another way. KeyError for one without a script."""
    script = SCRIPTS[scenario["name"]]

    async def run() -> None:
        async with Stage(scenario["steps"]) as stage:
            await script(stage)
            await stage.end()

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))
