"""Agents: their seats, the prompts on the way to them, and where their hooks come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.jstext import point_length
from cardloom_protocol.limits import limit

from ..core.call import Cause
from ..core.delivery import Delivery
from ..core.graph import Graph
from ..core.records import Card, Change
from ..features.agents import handlers as agent_handlers
from ..features.agents.harnesses.shape import McpServer
from ..features.agents.harnesses.table import HARNESSES
from ..features.agents.prompts.desk import PromptDesk
from ..features.agents.prompts.hooks import Hooks as PromptHooks
from ..features.agents.prompts.model import Sender
from ..features.agents.prompts.store import PromptStore
from ..features.agents.seats.desk import KIND, SeatDesk
from ..features.agents.seats.desk import Hooks as SeatHooks
from ..features.agents.seats.detection import Detector
from ..features.agents.seats.seat import Seat
from ..features.agents.service import AgentService
from ..features.agents.state import Published
from ..features.canvas.folders import check_folder
from ..features.canvas.service import CanvasService
from ..features.ports.model import OWNER
from ..features.terminals.output import OutputFeed
from ..features.terminals.viewers import Viewers
from ..features.usage.service import UsageService
from ..transport.hooks import HookDoor
from ..transport.mcp.door import PATH as MCP_PATH
from .kinds import join_kind
from .programs import ProgramsGroup
from .shared import Shared
from .values import ValuesGroup

PERMISSION: Final = "agents.prompt"

SeatMoved: TypeAlias = Callable[[Seat, tuple[Published, ...]], None]
WentOut: TypeAlias = Callable[[Sender, CardId, int], None]
"""Who sent a prompt, to which agent, and when it was typed (epoch ms)."""


@dataclass(frozen=True, slots=True)
class AgentsGroup:
    """Agents, their queues and the door of their hooks. `moved` and `went_out` hear what happens to them."""

    agents: AgentService
    seats: SeatDesk
    prompts: PromptDesk
    hooks: HookDoor
    moved: list[SeatMoved]
    went_out: list[WentOut]


def join_agents(
    shared: Shared, canvas: CanvasService, values: ValuesGroup, programs: ProgramsGroup, usage: UsageService
) -> AgentsGroup:
    """Make the agents, which are viewed as terminals are and prompted along arrows."""
    graph, ports = shared.graph, values.ports
    agents = AgentService(graph, shared.bus, shared.clock, shared.directory, shared.subscriptions)
    door = HookDoor(shared.clock)
    moved: list[SeatMoved] = []
    went_out: list[WentOut] = [lambda who, to, at_ms: usage.prompted(to, who.card_id, who.name, at_ms)]

    def admit(card_id: CardId) -> dict[str, str]:
        shared.agent_tokens.revoke(card_id)
        return {"url": f"{shared.address.url}{MCP_PATH}", "token": shared.agent_tokens.issue(card_id)}

    async def commit(workspace_id: WorkspaceId, make: Any) -> None:
        await canvas.commit(workspace_id, make)

    def seat_moved(seat: Seat, published: tuple[Published, ...]) -> None:
        prompts.moved(seat, published)
        for listen in moved:
            listen(seat, published)

    def prompt_went_out(sender: Sender, agent_id: CardId, at_ms: int) -> None:
        for listen in went_out:
            listen(sender, agent_id, at_ms)

    seat_hooks = SeatHooks(
        patch_runtime=canvas.commits.patch_runtime,
        commit=commit,
        check_folder=check_folder,
        emit=ports.emit,
        tools=lambda card_id: McpServer(**admit(card_id)),
        hook_url=lambda card_id: door.address(shared.address.url, card_id),
        waiting=lambda card_id: len(prompts.waiting(card_id)),
        moved=seat_moved,
    )
    seats = _make_seats(shared, seat_hooks)
    prompt_hooks = _prompt_hooks(shared, values, seats, usage, prompt_went_out)
    prompts = PromptDesk(PromptStore(shared.database), shared.clock, seats.seat, prompt_hooks)
    door.agent_of = seats.find
    door.heard.append(usage.hooked)
    usage.budgets.freed.append(lambda _: prompts.look_everywhere_again())
    shared.handlers.add(agent_handlers.handlers(agents, graph, admit))
    shared.handlers.add(agent_handlers.seat_handlers(seats, prompts, graph, _adding(canvas)))
    shared.handlers.add(agent_handlers.prompt_handlers(prompts, graph, seats, ports.post.cause_of))
    _join_canvas(shared, canvas, programs, seats, prompts)
    _join_port(shared, values, prompts)
    return AgentsGroup(agents, seats, prompts, door, moved, went_out)


def _make_seats(shared: Shared, hooks: SeatHooks) -> SeatDesk:
    bus, clock = shared.bus, shared.clock
    return SeatDesk(
        shared.graph,
        clock,
        shared.directory,
        HARNESSES,
        Detector(HARNESSES),
        shared.settings.data_folder,
        lambda card_id, picture: Viewers(bus, card_id, picture),
        lambda card_id: OutputFeed(bus, clock, shared.subscriptions, card_id),
        hooks,
    )


def _adding(canvas: CanvasService) -> agent_handlers.AddAgent:
    async def add(
        workspace_id: str, place: Mapping[str, Any], content: Mapping[str, Any], title: str | None, by: str | None
    ) -> Card:
        return await canvas.add_card(workspace_id, KIND, place, title=title, content=content, by=by)

    return add


def _prompt_hooks(
    shared: Shared, values: ValuesGroup, seats: SeatDesk, usage: UsageService, went_out: WentOut
) -> PromptHooks:
    graph, ports = shared.graph, values.ports

    async def record(sender: Sender, to: CardId, text: str, error: CallError | None) -> Cause | None:
        by = sender.card_id if sender.card_id is None or graph.find_card(sender.card_id) is not None else None
        return await ports.record_act("prompt", by, to, text, sender.cause, error=error)

    def check_sender(sender: Sender, agent_id: CardId) -> None:
        if sender.card_id is None:
            return
        card = graph.find_card(sender.card_id)
        if card is None:
            raise CallError(ErrorCode.NOT_FOUND, "the card that sent the prompt is gone")
        if not graph.joined(card.id, agent_id):
            raise CallError(ErrorCode.NOT_CONNECTED, "the arrow between the card and the agent is gone")
        if card.kind == "custom" and PERMISSION not in shared.grants.effective(card.id):
            raise CallError(ErrorCode.PERMISSION_DENIED, f"the card lost the permission {PERMISSION}")

    async def ask_owner(sender: Sender, agent_id: CardId, text: str) -> None:
        card, agent = graph.card(str(sender.card_id)), graph.card(agent_id)
        if shared.presence.visibility(card.id) != "visible":
            raise CallError(
                ErrorCode.NOT_VISIBLE, f"{agent.name!r} runs in dangerous mode, and no page shows {card.name!r}"
            )
        origin = _way_of(graph, values, sender.cause)
        data = {"agentId": agent.id, "agent": agent.name, "from": card.name, "text": text, "origin": origin}
        if not await shared.dialogs.ask("prompt", card.workspace_id, card.id, card.name, data):
            raise CallError(ErrorCode.USER_CANCELLED, "the prompt was not sent")

    return PromptHooks(
        record=record,
        check_sender=check_sender,
        ask_owner=ask_owner,
        check_budget=usage.budgets.check,
        is_dangerous=seats.is_dangerous,
        queue_changed=seats.show_queue,
        went_out=went_out,
    )


def _way_of(graph: Graph, values: ValuesGroup, cause: Cause | None) -> list[dict[str, str | None]]:
    """Where a text came from, as far as the journal tells: who sent what before it, the first one first."""
    way: list[dict[str, str | None]] = []
    entry_id = None if cause is None else cause.entry_id
    while entry_id is not None and len(way) < limit("cascadeHops"):
        entry = values.store.journal.entry(entry_id)
        if entry is None:
            break
        source = graph.find_card(entry.from_card)
        name = source.name if source is not None else None if entry.from_card == OWNER else entry.from_card
        way.append({"cardId": entry.from_card, "name": name, "output": entry.output})
        entry_id = entry.cause
    return way[::-1]


def _join_canvas(
    shared: Shared, canvas: CanvasService, programs: ProgramsGroup, seats: SeatDesk, prompts: PromptDesk
) -> None:
    listeners = canvas.listeners
    programs.terminals.programs[KIND] = seats.seat
    seats.set_scheme(canvas.preferences["scheme"])
    shared.bus.listen("preferences.changed", lambda event: seats.set_scheme(event.data.get("scheme", "dark")))

    async def forget_prompts(card: Card) -> None:
        await prompts.card_removed(card.id)

    def changed(workspace_id: WorkspaceId, changes: Sequence[Change]) -> None:
        seats.canvas_changed(workspace_id, changes)
        prompts.recheck_soon()

    join_kind(listeners, shared.graph, KIND, seats.card_comes, seats.card_goes)
    listeners.card_removed.append(forget_prompts)
    listeners.changed.append(changed)
    shared.grants.listen(lambda *_: prompts.recheck_soon())
    shared.life.on_start.append(prompts.load)
    shared.life.on_stop.append(seats.close)
    shared.life.on_stop.append(prompts.close)


def _join_port(shared: Shared, values: ValuesGroup, prompts: PromptDesk) -> None:
    async def receive(delivery: Delivery) -> None:
        """A value at the `prompt` port is the call `agents.prompt` of the card that sent it, accepted at once."""
        text = str(delivery.data)
        if point_length(text) > limit("promptChars"):
            raise CallError(ErrorCode.TOO_LARGE, f"a prompt may have {limit('promptChars')} characters")
        if delivery.from_card is not None:
            shared.gate.count(delivery.from_card, "agents.prompt")
        sender = Sender(
            delivery.from_card,
            None if delivery.from_card is None else shared.graph.card(delivery.from_card).name,
            delivery.cause,
            recorded=True,
        )
        await prompts.accept(delivery.to.id, text, sender)

    values.ports.receivers[KIND] = receive
