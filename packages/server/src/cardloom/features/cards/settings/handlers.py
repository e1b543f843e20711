"""The settings methods, a card's own and the owner's. Parameters fit their schemas when they arrive here."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.call import Call, Handler, Result
from ..page_work import PageWork
from .service import CardSettings


def handlers(settings: CardSettings, pages: PageWork) -> Mapping[str, Handler]:
    """The handlers by method name."""

    async def get(call: Call) -> Result:
        return settings.view_of(call.card_id)

    async def set_(call: Call) -> Result:
        return await settings.set(call.card_id, call.params["values"])

    async def open_(call: Call) -> Result:
        pages.open_settings(call.card_id)

    async def form(call: Call) -> Result:
        return settings.form(call.params["cardId"])

    async def save(call: Call) -> Result:
        params = call.params
        return await settings.save(params["cardId"], params["values"], params.get("secrets", {}))

    return {
        "settings.get": get,
        "settings.set": set_,
        "settings.open": open_,
        "card.settings": form,
        "card.setSettings": save,
    }
