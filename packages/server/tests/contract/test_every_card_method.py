"""The 64 methods of the card contract, each asked every question of the gate through the whole server.

A method has its permission, its rate, its handler, its page in the reference and a behaviour test, or it is reserved:
then it answers METHOD_NOT_FOUND and is not among the capabilities. Spec: cards, methods and dispatch order.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.method_row import MethodRow
from cardloom_protocol.methods_card import CARD_EVENTS, CARD_METHODS
from cardloom_protocol.permissions import PERMISSIONS

from .conftest import Actor

ROOT = Path(__file__).resolve().parents[4]
RECORDED: dict[str, Any] = json.loads((ROOT / "tests/vectors/cards/methods.json").read_text("utf-8"))["methods"]
REFERENCE = (ROOT / "docs/reference/methods-card.md").read_text("utf-8")
BEHAVIOUR_FOLDERS = ("packages/server/tests", "packages/sdk/tests", "tests/e2e")
CALLED = re.compile(r"""\b(?!event\b)\w+\(\s*["']([a-z][a-zA-Z0-9]*\.[a-z][a-zA-Z0-9]*)["']""")
HEARD = re.compile(
    r"""(?:\b(?:event|told|events)\(\s*|(?<!subscribe)(?<!publish)\(\s*(?="[\w.]+",))["']([a-z][a-z0-9]*\.[a-zA-Z]+)["']"""
)

PEER = "$peer"
SAMPLES: dict[str, dict[str, Any]] = {
    "host.ready": {"sdkVersion": "1.3.0", "protocol": 1},
    "host.capabilities": {},
    "host.log": {"level": "info", "message": "x"},
    "host.pong": {"seq": 1},
    "events.subscribe": {"topics": ["storage.changed"]},
    "events.unsubscribe": {"topics": ["storage.changed"]},
    "card.getInfo": {},
    "card.setTitle": {"title": "x"},
    "card.setStatus": {"text": "x"},
    "card.setBadge": {"count": 1},
    "card.setOverview": {"primary": "x"},
    "card.attention": {"level": "info"},
    "card.requestResize": {"w": 300, "h": 300},
    "card.openLink": {"url": "https://example.org/"},
    "card.focus": {"cardId": PEER},
    "card.spawn": {"kind": "note"},
    "ui.toast": {"message": "x"},
    "ui.confirm": {"title": "?", "message": "x"},
    "ui.setMenu": {"items": []},
    "settings.get": {},
    "settings.set": {"values": {}},
    "settings.open": {},
    "storage.get": {"scope": "instance", "key": "k"},
    "storage.set": {"scope": "instance", "key": "k", "value": 1},
    "storage.delete": {"scope": "instance", "key": "k"},
    "storage.keys": {"scope": "instance"},
    "storage.clear": {"scope": "instance"},
    "storage.usage": {"scope": "instance"},
    "theme.get": {},
    "i18n.get": {},
    "workspace.get": {},
    "permissions.list": {},
    "permissions.request": {"ids": ["fs.read"]},
    "agents.list": {},
    "agents.get": {"agentId": PEER},
    "agents.readScreen": {"agentId": PEER},
    "agents.lastReply": {"agentId": PEER},
    "agents.prompt": {"agentId": PEER, "text": "x"},
    "agents.usage": {"agentId": PEER, "since": 0},
    "agents.timeline": {"agentId": PEER, "since": 0},
    "terminals.run": {"agentId": PEER, "command": "true"},
    "terminals.write": {"agentId": PEER, "text": "x"},
    "ports.describe": {},
    "ports.peers": {},
    "ports.emit": {"port": "out", "data": "x"},
    "ports.send": {"to": PEER, "port": "out", "data": "x"},
    "ports.request": {"to": PEER, "input": "in", "data": "x"},
    "ports.respond": {"requestId": "r", "data": 1},
    "ports.read": {"from": PEER, "port": "text"},
    "tools.respond": {"callId": "c", "error": "x"},
    "tools.progress": {"callId": "c", "message": "x"},
    "tools.setEnabled": {"tool": "none", "enabled": True},
    "net.fetch": {"url": "https://nowhere.example.org/"},
    "net.abort": {"requestId": "r"},
    "fs.stat": {"path": "a"},
    "fs.list": {"path": ""},
    "fs.read": {"path": "a"},
    "fs.write": {"path": "a", "data": ""},
    "fs.mkdir": {"path": "a"},
    "fs.trash": {"path": "a"},
    "fs.watch": {"path": ""},
    "fs.unwatch": {"watchId": "w"},
    "clipboard.writeText": {"text": "x"},
    "usage.summary": {"period": "7d"},
}
ALL = list(CARD_METHODS.values())
BUILT = [row for row in ALL if row.built]
RESERVED = [row for row in ALL if not row.built]

# Asked of the gate alone, so that a handler that asks the owner or a page answers at once.
NO_HANDLER_REFUSES = (
    ErrorCode.NOT_READY,
    ErrorCode.METHOD_NOT_FOUND,
    ErrorCode.PERMISSION_DENIED,
    ErrorCode.NOT_CONNECTED,
    ErrorCode.NOT_VISIBLE,
    ErrorCode.RATE_LIMITED,
)


def name_of(row: MethodRow) -> str:
    return row.name


def named_in(folders: tuple[str, ...], named: re.Pattern[str]) -> frozenset[str]:
    """What tests name in a certain way, this one apart."""
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py") if path != Path(__file__)]
    return frozenset(name for path in files for name in named.findall(path.read_text("utf-8")))


@pytest.fixture(scope="module")
def called() -> frozenset[str]:
    """The methods with a behaviour test."""
    return named_in(BEHAVIOUR_FOLDERS, CALLED)


@pytest.fixture
async def card(desk: Any) -> Actor:
    """A card with every permission, on screen and joined to a terminal card by an arrow."""
    permissions = [
        {"id": one, **({"hosts": ["api.example.org"]} if one == "network" else {}), "optional": one == "fs.read"}
        for one in PERMISSIONS
    ]
    outputs = [{"id": "out", "label": "Out", "type": "ns:text"}]
    card: Actor = await desk.enter(permissions=permissions, ports={"outputs": outputs})
    await card.grant("fs.read")
    note = await desk.add("note")
    await desk.page.call("canvas.connect", a=card.id, b=note)
    await card.show()
    desk.app.contract.asking.timeout_ms = desk.app.contract.pages.clipboard_ms = 1
    desk.peer = note
    return card


def params_of(desk: Any, row: MethodRow) -> dict[str, Any]:
    return {name: desk.peer if value == PEER else value for name, value in SAMPLES[row.name].items()}


async def outcome(card: Actor, row: MethodRow, params: dict[str, Any]) -> CallError | None:
    """How a call went."""
    try:
        await card.call(row.name, **params)
    except CallError as refusal:
        return refusal
    return None


async def take_permissions(desk: Any, card: Actor, row: MethodRow) -> None:
    """Revoke what a method needs, and all that implies it."""
    needed = set(row.permissions_any_of)
    for kind in PERMISSIONS.values():
        if kind.id in needed or needed & set(kind.implies):
            await card.grant(kind.id, granted=False)


def test_there_are_sixty_four_and_a_sample_of_each() -> None:
    assert len(CARD_METHODS) == 64
    assert len(CARD_EVENTS) == 22
    assert set(SAMPLES) == set(CARD_METHODS) == set(RECORDED)


@pytest.mark.parametrize("row", ALL, ids=name_of)
def test_permission_and_rate_are_those_of_the_contract(row: MethodRow) -> None:
    recorded = RECORDED[row.name]
    assert (list(row.permissions_any_of) or None) == recorded["permissionsAnyOf"]
    assert (row.per_minute, row.min_interval_ms) == (recorded["perMinute"], recorded["minIntervalMs"])
    assert row.visible == recorded["visible"]


@pytest.mark.parametrize("row", ALL, ids=name_of)
def test_the_reference_says_what_a_method_takes_and_needs(row: MethodRow) -> None:
    section = REFERENCE.partition(f"### `{row.name}`\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    assert row.doc in section
    assert all(f"`{permission}`" in section for permission in row.permissions_any_of)
    assert row.per_minute is None or f"{row.per_minute} " in section
    assert row.min_interval_ms is None or f"{row.min_interval_ms} ms" in section
    assert ("METHOD_NOT_FOUND" in section) != row.built


@pytest.mark.parametrize("row", BUILT, ids=name_of)
def test_a_method_has_a_behaviour_test(row: MethodRow, called: frozenset[str]) -> None:
    assert row.name in called


def test_every_event_has_a_test_in_which_a_card_hears_it_from_the_server() -> None:
    heard = named_in(BEHAVIOUR_FOLDERS[:1], HEARD)
    assert [name for name in CARD_EVENTS if name not in heard] == []


async def test_every_method_has_a_handler_or_is_reserved(desk: Any, card: Actor) -> None:
    offered = await card.call("host.capabilities")
    assert offered["methods"] == [row.name for row in BUILT]
    assert offered["events"] == list(CARD_EVENTS)
    assert [row.name for row in BUILT if row.name not in desk.app.handlers.by_name] == []
    for row in RESERVED:
        refusal = await card.refused(row.name, **params_of(desk, row))
        assert (row.name, refusal.code) == (row.name, ErrorCode.METHOD_NOT_FOUND)


async def test_nothing_but_the_handshake_goes_before_the_handshake(desk: Any, card: Actor, clients: Any) -> None:
    stranger = clients.card(card.id)
    for row in ALL:
        if not row.before_ready:
            refusal = await stranger.refused(row.name, **params_of(desk, row))
            assert (row.name, refusal.code) == (row.name, ErrorCode.NOT_READY)


async def test_parameters_are_asked_about_before_permission(desk: Any, card: Actor) -> None:
    for row in BUILT:
        await take_permissions(desk, card, row)
        refusal = await card.refused(row.name, **params_of(desk, row), stray=1)
        assert (row.name, refusal.code) == (row.name, ErrorCode.INVALID_PARAMS)
        assert refusal.data[0]["keyword"] in ("additionalProperties", "maxProperties")


@pytest.mark.parametrize("row", [row for row in BUILT if row.permissions_any_of], ids=name_of)
async def test_without_its_permission_a_method_is_denied_and_says_which(desk: Any, card: Actor, row: MethodRow) -> None:
    await take_permissions(desk, card, row)
    refusal = await card.refused(row.name, **params_of(desk, row))
    assert (refusal.code, refusal.data) == (ErrorCode.PERMISSION_DENIED, {"permission": row.permissions_any_of[0]})


@pytest.mark.parametrize("row", [row for row in BUILT if row.needs_arrow is not None], ids=name_of)
async def test_without_its_arrow_a_method_is_not_connected(desk: Any, card: Actor, row: MethodRow) -> None:
    (arrow,) = desk.app.graph.arrows_of(desk.id)
    await desk.page.call("canvas.disconnect", arrowId=arrow.id)
    assert (await card.refused(row.name, **params_of(desk, row))).code is ErrorCode.NOT_CONNECTED


@pytest.mark.parametrize("row", [row for row in BUILT if row.visible], ids=name_of)
@pytest.mark.parametrize("visibility", ["overview", "hidden"])
async def test_out_of_sight_a_method_that_needs_the_screen_is_not_visible(
    desk: Any, card: Actor, row: MethodRow, visibility: str
) -> None:
    seen = [{"cardId": card.id, "visibility": visibility}]
    await desk.page.call("client.presence", workspaceId=desk.id, active=True, cards=seen)
    assert (await card.refused(row.name, **params_of(desk, row))).code is ErrorCode.NOT_VISIBLE


@pytest.mark.parametrize(
    "row", [row for row in BUILT if row.per_minute is not None or row.min_interval_ms is not None], ids=name_of
)
@pytest.mark.usefixtures("standing_clock")
async def test_a_method_is_limited_to_its_rate_and_says_when_again(desk: Any, card: Actor, row: MethodRow) -> None:
    params = params_of(desk, row)
    for _ in range(row.per_minute or 1):
        earlier = await outcome(card, row, params)
        assert earlier is None or earlier.code is not ErrorCode.RATE_LIMITED
    refusal = await card.refused(row.name, **params)
    assert refusal.code is ErrorCode.RATE_LIMITED
    longest_ms = 60_000 if row.per_minute is not None else row.min_interval_ms or 0
    assert 0 < refusal.data["retryAfterMs"] <= longest_ms


@pytest.mark.parametrize("row", BUILT, ids=name_of)
async def test_with_all_it_needs_a_method_reaches_its_handler(desk: Any, card: Actor, row: MethodRow) -> None:
    refusal = await outcome(card, row, params_of(desk, row))
    assert refusal is None or refusal.code not in NO_HANDLER_REFUSES


async def test_calls_that_are_refused_do_not_count_against_a_rate(desk: Any, card: Actor) -> None:
    await card.grant("canvas.spawn", granted=False)
    calls = (outcome(card, CARD_METHODS["card.spawn"], {"kind": "note"}) for _ in range(10))
    assert {error.code for error in await asyncio.gather(*calls) if error} == {ErrorCode.PERMISSION_DENIED}
    await card.grant("canvas.spawn")
    assert await outcome(card, CARD_METHODS["card.spawn"], {"kind": "note"}) is None
