"""Who hears whom: the graph as routing sees it, remembered as long as ports, arrows and grants stay the same.

Spec: ports; decisions 11, 18, 36. Nothing here looks at a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

from cardloom_protocol.hosting import CardView, PeerView, Plan, Reason, Skipped, Target, plan_emit
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.ports import Direction, PeerInfo, PeerKind, PortInfo, pick_input

from ...core.bus import Topic, card_topic
from ...core.grants import Grants
from ...core.graph import Graph
from ...core.records import Arrow, Card
from .model import Lane, Receipt, Round, Via

_PEER_KINDS: Final = frozenset(("custom", "note", "todo", "kanban", "sticky", "agent", "terminal"))


@dataclass(frozen=True, slots=True)
class Joint:
    """One arrow of a card and who is at its other end."""

    lane: Lane
    peer: PeerView
    paused: bool


@dataclass(frozen=True, slots=True)
class Row:
    """Receivers in their order, the same object for all outputs of a card that reach the same inputs.

    `topics` has the topic of each one's program and which of `inputs` it takes its values at; none, unless all of them
    are cards with programs.
    """

    lanes: tuple[Lane, ...]
    inputs: tuple[PortInfo, ...]
    topics: tuple[tuple[Topic, int], ...] | None


@dataclass(frozen=True, slots=True)
class Routes:
    """Where values of one output go. `paused` are the receivers behind paused arrows, who get nothing now.

    `row` has the plan's receivers in their order.
    """

    plan: Plan
    paused: tuple[Target, ...]
    lanes: dict[str, Lane]
    row: Row
    rounds: dict[tuple[int, Via], Round] = field(default_factory=dict)

    def round(self, offset: int, via: Via) -> Round:
        """What it leaves behind when everybody accepts a value as it is, numbered from an offset on."""
        found = self.rounds.get((offset, via))
        if found is None:
            found = self.rounds[(offset, via)] = self._round(offset, via)
        return found

    def _round(self, offset: int, via: Via) -> Round:
        receipts = tuple(
            Receipt(at, "delivery", via, peer.card_id, port.id, port.type, lane.arrow_id, "accepted")
            for at, ((peer, port, _), lane) in enumerate(zip(self.plan.targets, self.row.lanes, strict=True), offset)
        )
        return Round(receipts, self.row.lanes)


@dataclass(slots=True)
class _Remembered:
    stamp: tuple[int, int]
    joints: dict[CardId, list[Joint]] = field(default_factory=dict)
    routes: dict[tuple[CardId, str], Routes] = field(default_factory=dict)
    rows: dict[tuple[tuple[CardId, str, str, str], ...], Row] = field(default_factory=dict)


class Wiring:
    """Answers from the graph and the grants."""

    def __init__(self, graph: Graph, grants: Grants) -> None:
        self._graph = graph
        self._grants = grants
        self._remembered: dict[WorkspaceId, _Remembered] = {}

    def joints(self, card: Card) -> list[Joint]:
        """The confirmed arrows of a card in the order they were drawn."""
        remembered = self._of(card.workspace_id)
        found = remembered.joints.get(card.id)
        if found is None:
            arrows = (arrow for arrow in self._graph.arrows_at(card.id) if not arrow.pending)
            found = remembered.joints[card.id] = [self._joint(card, arrow) for arrow in arrows]
        return found

    def peers(self, card: Card) -> list[PeerInfo]:
        """The cards joined to a card. A paused arrow still joins."""
        return [joint.peer.info for joint in self.joints(card)]

    def joint(self, card: Card, other: str) -> Joint | None:
        """The arrow between two cards, None without one that the owner consented to."""
        return next((joint for joint in self.joints(card) if joint.peer.info.card_id == other), None)

    def view(self, card: Card, *, paused: bool | None = None) -> CardView:
        """A card as routing rules see it; `paused` picks the peers behind paused or behind open arrows."""
        joints = self.joints(card)
        return CardView(
            card.id,
            card.outputs,
            tuple(joint.peer for joint in joints if paused is None or joint.paused == paused),
            self._effective(card),
            self._graph.workspace(card.workspace_id).strict,
        )

    def routes(self, card: Card, output: PortInfo) -> Routes:
        """Where values of an output go."""
        remembered = self._of(card.workspace_id)
        found = remembered.routes.get((card.id, output.id))
        if found is None:
            plan = _without_deaf(plan_emit(self.view(card, paused=False), output), card)
            paused = plan_emit(self.view(card, paused=True), output)
            lanes = {joint.peer.info.card_id: joint.lane for joint in self.joints(card)}
            key = tuple((card.id, peer.card_id, port.id, port.type) for peer, port, _ in plan.targets)
            row = remembered.rows.get(key)
            if row is None:
                row = remembered.rows[key] = _row(plan, lanes)
            found = remembered.routes[(card.id, output.id)] = Routes(plan, paused.targets, lanes, row)
        return found

    def forget(self, workspace_id: WorkspaceId) -> None:
        """Drop what is remembered of a workspace that is gone."""
        self._remembered.pop(workspace_id, None)

    def _of(self, workspace_id: WorkspaceId) -> _Remembered:
        stamp = (self._graph.version(workspace_id), self._grants.version)
        found = self._remembered.get(workspace_id)
        if found is None or found.stamp != stamp:
            found = self._remembered[workspace_id] = _Remembered(stamp)
        return found

    def _joint(self, card: Card, arrow: Arrow) -> Joint:
        other = self._graph.card(arrow.other(card.id))
        gives, takes = arrow.carries_from(card.id), arrow.carries_from(other.id)
        direction: Direction = "both" if gives and takes else "downstream" if gives else "upstream"
        info = PeerInfo(
            other.id, peer_kind(other), other.name, direction, other.inputs, other.outputs, peer_type(other)
        )
        return Joint(Lane(arrow.id, arrow.flow_from(card.id)), PeerView(info, self._effective(other)), arrow.paused)

    def _effective(self, card: Card) -> frozenset[str] | None:
        return self._grants.effective(card.id) if card.kind == "custom" else None


def _row(plan: Plan, lanes: Mapping[str, Lane]) -> Row:
    in_order = tuple(lanes[target.peer.card_id] for target in plan.targets)
    inputs: dict[tuple[str, str], PortInfo] = {}
    for _, port, _ in plan.targets:
        inputs.setdefault((port.id, port.type), port)
    if any(peer.kind != "custom" for peer, _, _ in plan.targets):
        return Row(in_order, tuple(inputs.values()), None)
    numbers = {letter: number for number, letter in enumerate(inputs)}
    topics = tuple((card_topic(CardId(peer.card_id)), numbers[port.id, port.type]) for peer, port, _ in plan.targets)
    return Row(in_order, tuple(inputs.values()), topics)


def peer_kind(card: Card) -> PeerKind:
    """A card's kind as other cards are told of it (decision 46)."""
    return cast(PeerKind, card.kind) if card.kind in _PEER_KINDS else "other"


def peer_type(card: Card) -> str | None:
    """A card's type as other cards are told of it; those of ours outside the list go by their kind (decision 46)."""
    return card.type if card.kind in _PEER_KINDS or card.type is not None else card.kind


def port_of(ports: tuple[PortInfo, ...], port_id: str) -> PortInfo | None:
    """The port of that id."""
    return next((port for port in ports if port.id == port_id), None)


def _without_deaf(plan: Plan, card: Card) -> Plan:
    """A plan that does not tell of peers which this output never reaches while another one of the card does.

    They are no receivers of it: an arrow from an agent into a note is there for the replies, and each change of the
    agent's status says nothing on it. Where no output gets through, everything is told. Spec: ports, emit.
    """

    def is_deaf(skipped: Skipped) -> bool:
        inputs = skipped.peer.inputs
        return skipped.reason is Reason.NO_INPUT and any(pick_input(one.type, inputs) for one in card.outputs)

    return replace(plan, skipped=tuple(one for one in plan.skipped if not is_deaf(one)))


def only(plan: Plan, target: Target) -> Plan:
    """A plan with one of its receivers alone."""
    return Plan(plan.output, (target._replace(kind=0),), (plan.kinds[target.kind],), ())
