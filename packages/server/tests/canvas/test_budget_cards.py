"""Budget cards: they hold nothing, have no ports, and are cards of another kind to their peers."""

from __future__ import annotations

from typing import Any


async def test_a_budget_card_holds_nothing_and_has_no_ports(page: Any, workspace_id: str) -> None:
    card = await page.call("canvas.addCard", workspaceId=workspace_id, kind="budget", x=0, y=0)
    assert (card["kind"], card["name"], card["content"]) == ("budget", "Budget", {})
    assert card["ports"] == {"inputs": [], "outputs": []}
    copy = await page.call("canvas.duplicateCard", cardId=card["id"], x=10, y=10)
    assert copy["content"] == {}


async def test_a_budget_card_takes_no_content(page: Any, workspace_id: str) -> None:
    error = await page.refused(
        "canvas.addCard", workspaceId=workspace_id, kind="budget", x=0, y=0, content={"limit": 5}
    )
    assert error.code == "INVALID_PARAMS"
    assert "content" in error.message
