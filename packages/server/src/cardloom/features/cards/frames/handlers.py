"""The owner's methods of frames. Parameters fit their schemas when they arrive here."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.call import Call, Handler, Result
from ....core.presence import Presence
from .service import Frames


def handlers(frames: Frames, presence: Presence) -> Mapping[str, Handler]:
    """The handlers by method name."""

    async def mount(call: Call) -> Result:
        page = presence.page_of(call.caller.connection_id)
        return frames.mount(call.params["cardId"], page, take_over=call.params.get("takeOver", False))

    async def unmount(call: Call) -> Result:
        frames.unmount(call.params["cardId"], call.caller.connection_id)
        return {}

    async def expand(call: Call) -> Result:
        frames.expand(call.params["cardId"], call.caller.connection_id, expanded=call.params["expanded"])
        return {}

    return {"card.mount": mount, "card.unmount": unmount, "card.expand": expand}
