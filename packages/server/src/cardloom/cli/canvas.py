"""Commands about what stands on canvases: cards, arrows, values, the journal, any method at all."""

from __future__ import annotations

import json
import time
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ports.matching import pick_input
from cardloom_protocol.ports.types import PortInfo

from .console import Answer, UsageError, table
from .given import given_text
from .session import Record, card_of, session, snapshots_of, workspace_of


async def list_cards(workspace: str | None) -> Answer:
    """The cards of a workspace, or of all open ones."""
    async with session() as client:
        snapshots = await snapshots_of(client, workspace)
    data = [
        {"workspace": shown["workspace"], "cards": shown["cards"], "arrows": shown["arrows"]} for shown in snapshots
    ]
    return Answer(
        data, "\n\n".join(map(_listed, snapshots)) or "No workspace is open. Open a folder with: cardloom up DIR"
    )


async def connect(a: str, b: str, workspace: str | None, *, two_way: bool) -> Answer:
    """Draw an arrow."""
    async with session() as client:
        one, two = await card_of(client, a, workspace), await card_of(client, b, workspace)
        direction = "both" if two_way else "forward"
        arrow = await client.call("canvas.connect", {"a": one["id"], "b": two["id"], "direction": direction})
    sign = "↔" if two_way else "→"
    lines = [f"{one['name']} {sign} {two['name']}  ({arrow['id']})"]
    if not (_passes(one, two) or (two_way and _passes(two, one))):
        lines.append("Nothing passes along it by itself: no input there takes what is sent. Requests and reads may.")
    return Answer(arrow, "\n".join(lines))


def _passes(sender: Record, receiver: Record) -> bool:
    inputs = [PortInfo.from_wire(port) for port in receiver["ports"]["inputs"]]
    return any(pick_input(output["type"], inputs) for output in sender["ports"]["outputs"])


async def agent_token(card: str, workspace: str | None) -> Answer:
    """Make a terminal's token for the tools."""
    async with session() as client:
        seat = await card_of(client, card, workspace)
        made = await client.call("agent.token", {"cardId": seat["id"]})
    return Answer({"cardId": seat["id"], **made}, f"{made['url']}\nAuthorization: Bearer {made['token']}")


async def send(card: str, value: str, input_id: str | None, workspace: str | None, *, as_text: bool) -> Answer:
    """Send a value into a card."""
    text = given_text(value)
    data = text if as_text else _value(text)
    async with session() as client:
        target = await card_of(client, card, workspace)
        params: dict[str, Any] = {"to": target["id"], "data": data}
        if input_id is not None:
            params["input"] = input_id
        result = await client.call("ports.deliver", params)
    if not result["delivered"]:
        outcome = f"{target['name']} did not take it: {result['outcome']}"
        return Answer(result, outcome, 1)
    return Answer(result, f"{target['name']} took it.")


async def call(method: str, params: str) -> Answer:
    """Call a method with parameters given as JSON."""
    text = given_text(params)
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The parameters are not JSON: {error}") from error
    if not isinstance(given, dict):
        raise UsageError('The parameters must be a JSON object such as {"workspaceId": "w_1"}.')
    async with session() as client:
        if method not in client.hello["methods"]:
            near = _near(method, client.hello["methods"])
            raise CallError(ErrorCode.METHOD_NOT_FOUND, f"There is no method {method!r}.{near}")
        result = await client.call(method, given)
    return Answer(result, json.dumps(result, ensure_ascii=False, indent=2))


async def list_journal(workspace: str | None, card: str | None, limit: int, before: int | None) -> Answer:
    """The journal of a workspace, newest first."""
    async with session() as client:
        home = await workspace_of(client, workspace)
        snapshot = await client.call("canvas.snapshot", {"workspaceId": home["id"]})
        params: dict[str, Any] = {"workspaceId": home["id"], "limit": limit}
        if card is not None:
            params["cardId"] = (await card_of(client, card, home["id"]))["id"]
        if before is not None:
            params["beforeId"] = before
        found = await client.call("journal.list", params)
    names = {one["id"]: one["name"] for one in snapshot["cards"]} | {"owner": "you"}
    rows = [
        (
            str(entry["id"]),
            time.strftime("%m-%d %H:%M:%S", time.localtime(entry["atMs"] / 1000)),
            names.get(entry["from"], entry["from"]),
            f"{names.get(entry['to'], entry['to'] or '')}{'.' + entry['input'] if entry['input'] else ''}",
            entry["code"] or entry["outcome"],
            entry["message"] or entry["preview"].replace("\n", " ")[:60],
        )
        for entry in found["entries"]
    ]
    more = "\n…" if found["more"] else ""
    text = table(("#", "TIME", "FROM", "TO", "OUTCOME", "VALUE"), rows) + more if rows else "The journal is empty."
    return Answer(found, text)


async def replay_journal(workspace: str | None, first: int | None, last: int | None) -> Answer:
    """Deliver a range again into a copy; exit code 1 where results differ."""
    async with session() as client:
        home = await workspace_of(client, workspace)
        params: dict[str, Any] = {"workspaceId": home["id"]}
        if first is not None:
            params["fromId"] = first
        if last is not None:
            params["toId"] = last
        found = await client.call("journal.replay", params)
    differences = found["differences"]
    lines = [f"Delivered {found['replayed']} values again into {found['name']!r} ({found['workspaceId']})."]
    if differences:
        lines.append(f"{len(differences)} results differ:")
        lines += [
            f"  #{one['entryId']} {one['field']}: recorded {_short(one['recorded'])}, now {_short(one['replayed'])}"
            for one in differences
        ]
    else:
        lines.append("Every result is as recorded.")
    return Answer(found, "\n".join(lines), 1 if differences else 0)


def _listed(shown: Record) -> str:
    title = f"{shown['workspace']['name']} ({shown['workspace']['path']})"
    if not shown["cards"]:
        return f"{title}\nno cards"
    names = {card["id"]: card["name"] for card in shown["cards"]}
    rows = [
        (card["id"], card["kind"], card["name"], _state(card), _sends_to(card, shown, names)) for card in shown["cards"]
    ]
    return f"{title}\n{table(('ID', 'KIND', 'NAME', 'STATE', 'SENDS TO'), rows)}"


def _value(text: str) -> Any:
    """The value that a person typed: JSON where it is that, else the text itself."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return text


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _state(card: Record) -> str:
    runtime, status = card["runtime"], card["chrome"]["status"]
    parts = [runtime["status"]] if runtime else []
    if status:
        parts.append(status["text"])
    if card["kind"] == "todo":
        items = card["content"].get("items", [])
        parts.append(f"{sum(item['status'] == 'done' for item in items)}/{len(items)} done")
    return ", ".join(parts)


def _sends_to(card: Record, shown: Record, names: dict[str, str]) -> str:
    targets = []
    for arrow in shown["arrows"]:
        if arrow["a"] == card["id"] and arrow["direction"] != "backward":
            targets.append(names[arrow["b"]])
        elif arrow["b"] == card["id"] and arrow["direction"] != "forward":
            targets.append(names[arrow["a"]])
    return ", ".join(targets)


def _near(method: str, methods: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(method, methods, n=3)
    return f" Did you mean {' or '.join(close)}?" if close else " List them with: cardloom call host.capabilities"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"
