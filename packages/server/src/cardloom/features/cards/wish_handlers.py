"""What cards wish for: questions to the owner, work of a page, another size, cards beside them."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.call import Call, Handler, Result
from .asking import Asking
from .growing import Growing
from .page_work import PageWork


def handlers(asking: Asking, pages: PageWork, growing: Growing) -> Mapping[str, Handler]:
    """The handlers by method name."""
    return {**_questions(asking), **_pages(pages), **_growing(growing)}


def _questions(asking: Asking) -> dict[str, Handler]:
    async def confirm(call: Call) -> Result:
        return {"confirmed": await asking.confirm(call.card_id, call.params)}

    async def open_link(call: Call) -> Result:
        return {"opened": await asking.open_link(call.card_id, call.params["url"])}

    async def permissions(call: Call) -> Result:
        return {"granted": await asking.permissions(call.card_id, call.params["ids"])}

    return {"ui.confirm": confirm, "card.openLink": open_link, "permissions.request": permissions}


def _pages(pages: PageWork) -> dict[str, Handler]:
    async def set_menu(call: Call) -> Result:
        pages.set_menu(call.card_id, call.params["items"])

    async def menu(call: Call) -> Result:
        return {"items": pages.menu(call.params["cardId"])}

    async def choose(call: Call) -> Result:
        pages.choose(call.params["cardId"], call.params["itemId"])
        return {}

    async def focus(call: Call) -> Result:
        pages.focus(call.card_id, call.params["cardId"])

    async def write_text(call: Call) -> Result:
        await pages.write_clipboard(call.card_id, call.params["text"])

    async def written(call: Call) -> Result:
        params = call.params
        problem = None if params["ok"] else params.get("reason") or "the browser refused"
        pages.written(params["writeId"], call.caller.connection_id, problem)
        return {}

    return {
        "ui.setMenu": set_menu,
        "card.menu": menu,
        "card.chooseMenu": choose,
        "card.focus": focus,
        "clipboard.writeText": write_text,
        "clipboard.written": written,
    }


def _growing(growing: Growing) -> dict[str, Handler]:
    async def resize(call: Call) -> Result:
        return await growing.resize(call.card_id, call.params["w"], call.params["h"])

    async def spawn(call: Call) -> Result:
        return {"cardId": await growing.spawn(call.card_id, call.params)}

    return {"card.requestResize": resize, "card.spawn": spawn}
