"""The network methods. Parameters fit their schemas when they arrive here."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.call import Call, Handler, Result
from .service import Net


def handlers(net: Net) -> Mapping[str, Handler]:
    """The handlers by method name."""

    async def fetch(call: Call) -> Result:
        return await net.fetch(call.card_id, call.params)

    async def abort(call: Call) -> Result:
        net.abort(call.card_id, call.params["requestId"])

    return {"net.fetch": fetch, "net.abort": abort}
