"""What a package may do: granted and taken back through the whole server, and known to all at once."""

from __future__ import annotations

from typing import Any

from cardloom.app import running
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.ids import CardId, PackageId

from .own_cards import MANIFEST, own_card


async def test_granting_and_revoking_reach_the_card_and_the_gate_at_once(desk: Any, clients: Any) -> None:
    card_id, card, context = await own_card(desk, clients)
    package_id = context["instance"]["packageId"]
    await card.call("agents.list")
    grant = {"workspaceId": desk.id, "packageId": package_id}
    await desk.page.call("grant.set", **grant, permission="agents.read", granted=False)
    told = await card.event("permissions.changed")
    assert (told[0]["id"], told[0]["granted"]) == ("agents.read", False)
    assert (await card.refused("agents.list")).code is ErrorCode.PERMISSION_DENIED
    await desk.page.call("grant.set", **grant, permission="cards.connected", granted=True)
    assert (await desk.page.call("grant.list", workspaceId=desk.id))["grants"] == [
        {"packageId": package_id, "permission": "agents.read", "granted": False},
        {"packageId": package_id, "permission": "cards.connected", "granted": True},
    ]
    assert desk.app.grants.effective(CardId(card_id)) == {"cards.connected"}


async def test_every_page_is_told_of_a_grant_once_it_holds(desk: Any, clients: Any) -> None:
    _, _, context = await own_card(desk, clients)
    other = await clients.page()
    told = {"workspaceId": desk.id, "packageId": context["instance"]["packageId"]}
    for granted in (True, False):
        await desk.page.call("grant.set", **told, permission="cards.connected", granted=granted)
        assert await other.event("grants.changed") == told
        grants = (await other.call("grant.list", workspaceId=desk.id))["grants"]
        assert [row["granted"] for row in grants if row["permission"] == "cards.connected"] == [granted]


async def test_what_a_package_does_not_declare_cannot_be_granted(desk: Any, clients: Any) -> None:
    _, _, context = await own_card(desk, clients)
    grant = {"workspaceId": desk.id, "packageId": context["instance"]["packageId"], "granted": True}
    error = await desk.page.refused("grant.set", **grant, permission="fs.write")
    assert error.code is ErrorCode.INVALID_PARAMS
    error = await desk.page.refused(
        "grant.set", workspaceId=desk.id, packageId="file:x-1", permission="fs.write", granted=True
    )
    assert error.code is ErrorCode.NOT_FOUND


async def test_grants_survive_a_restart_and_end_with_their_workspace(
    settings: Settings, clients_of: Any, tmp_path: Any
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="W", path=str(folder)))["id"]
        made = await page.call("card.run", workspaceId=home, manifest=MANIFEST)
    async with running(settings) as app, clients_of(app) as clients:
        assert app.grants.effective(CardId(made["cardId"])) == {"agents.read"}
        await (await clients.page()).call("workspace.remove", workspaceId=home)
    async with running(settings) as app:
        package_id = PackageId(str(app.cards.consents.workspaces()))
        assert package_id == "set()"
