"""The storage methods. Parameters fit their schemas when they arrive here."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.call import Call, Handler, Result
from .service import Storage


def handlers(storage: Storage) -> Mapping[str, Handler]:
    """The handlers by method name."""

    async def get(call: Call) -> Result:
        return await storage.get(call.card_id, call.params["scope"], call.params["key"])

    async def set_(call: Call) -> Result:
        await storage.set(call.card_id, call.params["scope"], call.params["key"], call.params["value"])

    async def delete(call: Call) -> Result:
        await storage.delete(call.card_id, call.params["scope"], call.params["key"])

    async def keys(call: Call) -> Result:
        return {"keys": await storage.keys(call.card_id, call.params["scope"], call.params.get("prefix", ""))}

    async def clear(call: Call) -> Result:
        await storage.clear(call.card_id, call.params["scope"])

    async def usage(call: Call) -> Result:
        return await storage.usage(call.card_id, call.params["scope"])

    return {
        "storage.get": get,
        "storage.set": set_,
        "storage.delete": delete,
        "storage.keys": keys,
        "storage.clear": clear,
        "storage.usage": usage,
    }
