"""The tools methods. Parameters fit their schemas when they arrive here."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.call import Call, Handler, Result
from .service import ToolCalls


def handlers(tools: ToolCalls) -> Mapping[str, Handler]:
    """The handlers by method name."""

    async def respond(call: Call) -> Result:
        params = call.params
        tools.respond(call.card_id, params["callId"], params.get("result"), params.get("error"))

    async def progress(call: Call) -> Result:
        tools.progress(call.card_id, call.params["callId"], call.params["message"])

    async def set_enabled(call: Call) -> Result:
        tools.set_enabled(call.card_id, call.params["tool"], enabled=call.params["enabled"])

    return {"tools.respond": respond, "tools.progress": progress, "tools.setEnabled": set_enabled}
