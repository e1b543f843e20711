"""Whether a call may go to its handler: one order of questions, the same in every host.

NOT_READY, METHOD_NOT_FOUND, INVALID_PARAMS, PERMISSION_DENIED, NOT_CONNECTED, NOT_VISIBLE, RATE_LIMITED. Spec: cards,
dispatch order; architecture, the journey of a call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import CallError, ErrorCode
from ..jstext import JsonValue
from ..limits import limit
from ..method_row import MethodRow, ParamsSchema
from ..schema import CompiledSchema, Issue, compile_schema
from .rates import RateWindow


def _joined_to_all(_card_id: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Facts:
    """What the gate must know about one call.

    `effective` is the caller's permissions with the closure applied, None for a caller that needs none (the owner).
    `joined` tells whether an arrow the owner consented to joins the caller to that card, either way. `rate` is the
    caller's window for this method.
    """

    params: JsonValue
    effective: frozenset[str] | None
    now_ms: int
    ready: bool = True
    visible: bool = True
    joined: Callable[[str], bool] = _joined_to_all
    rate: RateWindow | None = None


def check(row: MethodRow | None, facts: Facts) -> CallError | None:
    """Why the call is refused; None lets it pass and counts it in `facts.rate`."""
    if not facts.ready and not (row is not None and row.before_ready):
        return CallError(ErrorCode.NOT_READY, "Call host.ready first.")
    if row is None or not row.built:
        return CallError(ErrorCode.METHOD_NOT_FOUND, "This host offers no such method.")
    return (
        check_params(row, facts.params)
        or check_permission(row, facts.effective)
        or _check_arrow(row, facts)
        or _check_visible(row, facts)
        or _check_rate(row, facts)
    )


def check_params(row: MethodRow, params: JsonValue) -> CallError | None:
    """INVALID_PARAMS with at most ten issues when the parameters do not fit the method."""
    issues = params_issues(row, params)
    if not issues:
        return None
    first = issues[0]
    return CallError(ErrorCode.INVALID_PARAMS, f"{row.name}{first.path}: {first.message}", issues_to_wire(issues))


def params_issues(row: MethodRow, params: JsonValue) -> list[Issue]:
    """What is wrong with parameters of a method, at most ten issues."""
    return _validator(row.params_schema).check(params, max_issues=limit("paramsIssues"))


def check_permission(row: MethodRow, effective: frozenset[str] | None) -> CallError | None:
    """PERMISSION_DENIED naming the permission when the caller holds none that the method asks for."""
    if effective is None or row.allowed(effective):
        return None
    return permission_denied(row.permissions_any_of[0])


def permission_denied(permission: str) -> CallError:
    """The refusal for want of a permission."""
    return CallError(
        ErrorCode.PERMISSION_DENIED, f"This needs the permission {permission}.", {"permission": permission}
    )


def rate_limited(wait_ms: int, what: str) -> CallError:
    """The refusal of a call that comes too soon."""
    return CallError(ErrorCode.RATE_LIMITED, f"{what}: try again in {wait_ms} ms.", {"retryAfterMs": wait_ms})


def invalid_params(issues: list[Issue], what: str) -> CallError:
    """The refusal of a value that does not fit; the message names the first place, data all of them."""
    first = issues[0]
    place = first.path or "the value"
    return CallError(ErrorCode.INVALID_PARAMS, f"{what}: {place}: {first.message}", issues_to_wire(issues))


def issues_to_wire(issues: list[Issue]) -> list[JsonValue]:
    """Issues as an error's data holds them."""
    return [issue.to_wire() for issue in issues]


def _check_arrow(row: MethodRow, facts: Facts) -> CallError | None:
    if row.needs_arrow is None or not isinstance(facts.params, dict):
        return None
    card_id = facts.params[row.needs_arrow]
    if isinstance(card_id, str) and facts.joined(card_id):
        return None
    return CallError(ErrorCode.NOT_CONNECTED, f"No arrow joins this card to {card_id}.")


def _check_visible(row: MethodRow, facts: Facts) -> CallError | None:
    if not row.visible or facts.visible:
        return None
    return CallError(ErrorCode.NOT_VISIBLE, f"{row.name} needs the card on screen.")


def _check_rate(row: MethodRow, facts: Facts) -> CallError | None:
    wait_ms = 0 if facts.rate is None else facts.rate.take(facts.now_ms)
    return rate_limited(wait_ms, row.name) if wait_ms else None


# A schema compiled once; the schema is kept beside it, so that its identity is never used again.
_COMPILED: dict[int, tuple[ParamsSchema, CompiledSchema]] = {}


def _validator(schema: ParamsSchema) -> CompiledSchema:
    known = _COMPILED.get(id(schema))
    if known is None:
        known = _COMPILED[id(schema)] = (schema, compile_schema(dict(schema)))
    return known[1]
