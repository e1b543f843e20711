"""Where a value goes: peers in the order their arrows were drawn, one input each, checked once per distinct input.

Planning looks at ports and permissions only, so a host keeps a plan as long as arrows, ports and grants stay the same;
delivering looks at the value. Spec: ports; cards, ports; decisions 10, 11, 18, 36.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from ..errors import CallError, ErrorCode
from ..jstext import JsonValue
from ..ports import Check, PeerInfo, PortInfo, check_value, coerce, coercion, pick_input
from ..schema import Issue
from .gate import invalid_params, permission_denied

CONSENTED_BY_ARROW: Final = "cards.connected"
"""Values of outputs asking for this permission flow along an arrow without it, unless the workspace is strict."""

_ANYTHING: Final = PortInfo("any", "Any", "ns:any").shape


@dataclass(frozen=True, slots=True)
class PeerView:
    """A joined card and what it may do: its permissions with the closure applied, None for a built-in card."""

    info: PeerInfo
    effective: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class CardView:
    """A card that sends, asks or reads: its ports, its permissions (None for a built-in card), its peers.

    `peers` stand in the order their arrows were drawn and hold only arrows that carry values (confirmed, not paused).
    `strict` is the workspace's switch of decision 18.
    """

    card_id: str
    outputs: tuple[PortInfo, ...] = ()
    peers: tuple[PeerView, ...] = ()
    effective: frozenset[str] | None = None
    strict: bool = False

    def output(self, port_id: str) -> PortInfo:
        """The output of that id; NOT_FOUND."""
        for port in self.outputs:
            if port.id == port_id:
                return port
        raise CallError(ErrorCode.NOT_FOUND, f"This card has no output {port_id}.")

    def peer(self, card_id: str) -> PeerView:
        """The joined card of that id, whichever way the arrow points; NOT_CONNECTED."""
        for peer in self.peers:
            if peer.info.card_id == card_id:
                return peer
        raise CallError(ErrorCode.NOT_CONNECTED, f"No arrow joins this card to {card_id}.")


class Reason(StrEnum):
    """Why a peer gets nothing of an emitted value."""

    NO_INPUT = "no-input"
    SENDER_PERMISSION = "sender-permission"
    RECEIVER_PERMISSION = "receiver-permission"


class Target(NamedTuple):
    """One receiver of a plan; `kind` is the index of its input's kind in the plan."""

    peer: PeerInfo
    input: PortInfo
    kind: int


class Skipped(NamedTuple):
    """One downstream peer that a plan leaves out; `permission` is the missing one."""

    peer: PeerInfo
    reason: Reason
    permission: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Where values of one output go. `kinds` holds one input for each distinct (type, schema) among the targets."""

    output: PortInfo
    targets: tuple[Target, ...]
    kinds: tuple[PortInfo, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class Landed:
    """A value as inputs of one kind get it. With `issues` they refuse it; `data` is shared by all receivers."""

    input_type: str
    data: JsonValue
    issues: tuple[Issue, ...] = ()


class Delivery(NamedTuple):
    """One receiver and what reaches it, or what it refuses."""

    peer: PeerInfo
    input: PortInfo
    landed: Landed


@dataclass(frozen=True, slots=True)
class Routed:
    """The outcome of one emitted value, both lists in the order of the arrows."""

    accepted: list[Delivery]
    refused: list[Delivery]
    skipped: tuple[Skipped, ...]


# Sending to all


def plan_emit(sender: CardView, output: PortInfo) -> Plan:
    """Where values of this output go: every downstream peer with a fitting input that may be used."""
    targets: list[Target] = []
    kinds: list[PortInfo] = []
    index: dict[tuple[str, str], int] = {}
    skipped: list[Skipped] = []
    for peer in sender.peers:
        if not peer.info.receives:
            continue
        port = pick_input(output.type, peer.info.inputs)
        if port is None:
            skipped.append(Skipped(peer.info, Reason.NO_INPUT))
            continue
        refusal = _missing_permission(sender, output, peer, port)
        if refusal is not None:
            skipped.append(refusal)
            continue
        kind = index.setdefault(port.shape, len(kinds))
        if kind == len(kinds):
            kinds.append(port)
        targets.append(Target(peer.info, port, kind))
    return Plan(output, tuple(targets), tuple(kinds), tuple(skipped))


def deliver(plan: Plan, value: JsonValue, check: Check = check_value) -> Routed:
    """What becomes of a value on a plan; INVALID_PARAMS when it does not fit the output.

    The value is checked, converted and checked again once per distinct input, however many receivers there are.
    """
    return spread(plan, land(plan, value, check))


def land(plan: Plan, value: JsonValue, check: Check = check_value) -> list[Landed]:
    """The first half of `deliver`: the value as the inputs of each of the plan's kinds get it, or why they do not."""
    check_output(plan.output, value, check)
    return [_land(plan.output, port, value, check) for port in plan.kinds]


def spread(plan: Plan, landed: Sequence[Landed]) -> Routed:
    """The second half of `deliver`: what that means for each receiver."""
    make = Delivery._make
    if not any(one.issues for one in landed):
        return Routed([make((peer, port, landed[kind])) for peer, port, kind in plan.targets], [], plan.skipped)
    accepted: list[Delivery] = []
    refused: list[Delivery] = []
    for peer, port, kind in plan.targets:
        one = landed[kind]
        (refused if one.issues else accepted).append(make((peer, port, one)))
    return Routed(accepted, refused, plan.skipped)


def check_output(output: PortInfo, value: JsonValue, check: Check = check_value) -> None:
    """INVALID_PARAMS when a value does not fit the output that is to send it."""
    issues = check(output, value)
    if issues:
        raise invalid_params(issues, f"output {output.id}")


# Sending to one


def send(
    sender: CardView,
    output: PortInfo,
    value: JsonValue,
    to: str,
    input_id: str | None = None,
    check: Check = check_value,
) -> Delivery | None:
    """What one named peer gets; None when none of its inputs fits (nothing is delivered then).

    A named input may be of request mode. Errors: NOT_CONNECTED (no arrow, or against it), NOT_FOUND (input),
    PERMISSION_DENIED, INVALID_PARAMS (the output's schemas, no conversion, the input's schemas).
    """
    check_output(output, value, check)
    peer = sender.peer(to)
    if not peer.info.receives:
        raise CallError(ErrorCode.NOT_CONNECTED, f"The arrow points from {to} to this card, not the other way.")
    port = pick_input(output.type, peer.info.inputs) if input_id is None else _input(peer, input_id)
    if port is None:
        return None
    refusal = _missing_permission(sender, output, peer, port)
    if refusal is not None and refusal.permission is not None:
        raise permission_denied(refusal.permission)
    if coercion(output.type, port.type) is None:
        raise CallError(ErrorCode.INVALID_PARAMS, f"{output.type} cannot become {port.type} of input {port.id}.", [])
    landed = _land(output, port, value, check)
    if landed.issues:
        raise invalid_params(list(landed.issues), f"input {port.id}")
    return Delivery(peer.info, port, landed)


# Asking and reading


def ask(asker: CardView, to: str, input_id: str, value: JsonValue, check: Check = check_value) -> Delivery:
    """The question as a joined card gets it; the arrow's direction does not matter.

    Errors: NOT_CONNECTED, NOT_FOUND (input), INVALID_PARAMS (not a request input, or the value does not fit),
    PERMISSION_DENIED.
    """
    peer = asker.peer(to)
    port = _input(peer, input_id)
    if port.mode != "request":
        raise CallError(ErrorCode.INVALID_PARAMS, f"Input {input_id} takes values, not questions.", [])
    if lacks(asker.effective, port.permission):
        raise permission_denied(port.permission or "")
    issues = check(port, value)
    if issues:
        raise invalid_params(issues, f"input {input_id}")
    return Delivery(peer.info, port, Landed(port.type, value))


def check_answer(port: PortInfo, value: JsonValue, check: Check = check_value) -> None:
    """INVALID_PARAMS when an answer does not fit what the request input promises."""
    issues = check(port.answer_port(), value)
    if issues:
        raise invalid_params(issues, f"answer to {port.id}")


def may_read(reader: CardView, source: str, port_id: str) -> PortInfo:
    """The output of a joined card whose kept value the reader may have, whichever way the arrow points.

    Errors: NOT_CONNECTED, NOT_FOUND, PERMISSION_DENIED.
    """
    port = reader.peer(source).info.output(port_id)
    if port is None:
        raise CallError(ErrorCode.NOT_FOUND, f"{source} has no output {port_id}.")
    if lacks(reader.effective, port.permission):
        raise permission_denied(port.permission or "")
    return port


def lacks(effective: frozenset[str] | None, permission: str | None) -> bool:
    """Whether a permission is asked for and not held; None for `effective` means that nothing is asked."""
    return permission is not None and effective is not None and permission not in effective


def _input(peer: PeerView, input_id: str) -> PortInfo:
    port = peer.info.input(input_id)
    if port is None:
        raise CallError(ErrorCode.NOT_FOUND, f"{peer.info.card_id} has no input {input_id}.")
    return port


def _missing_permission(sender: CardView, output: PortInfo, peer: PeerView, port: PortInfo) -> Skipped | None:
    """The sender's permission for a built-in's input; the receiver's for a built-in's output."""
    if lacks(sender.effective, port.permission):
        return Skipped(peer.info, Reason.SENDER_PERMISSION, port.permission)
    if (sender.strict or output.permission != CONSENTED_BY_ARROW) and lacks(peer.effective, output.permission):
        return Skipped(peer.info, Reason.RECEIVER_PERMISSION, output.permission)
    return None


def _land(output: PortInfo, port: PortInfo, value: JsonValue, check: Check) -> Landed:
    data = coerce(output.type, port.type, value)
    if data is value and port.shape in (output.shape, _ANYTHING):
        return Landed(port.type, data)  # the output's own check said as much
    return Landed(port.type, data, tuple(check(port, data)))
