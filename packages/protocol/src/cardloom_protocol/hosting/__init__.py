"""What every host decides the same way: the gate, rates, cascades, and where a value goes.

Pure functions and small counters; the server, the in-memory host for tests and the TypeScript mock host follow them.
Spec: decision 40.
"""

from .chains import Cause, ChainGuard
from .gate import (
    Facts,
    check,
    check_params,
    check_permission,
    invalid_params,
    issues_to_wire,
    params_issues,
    permission_denied,
    rate_limited,
)
from .outgoing import NetworkGrant, WebAddress, check_address, check_headers, named_secrets
from .rates import RateWindow, TokenBucket
from .routing import (
    CardView,
    Delivery,
    Landed,
    PeerView,
    Plan,
    Reason,
    Routed,
    Skipped,
    Target,
    ask,
    check_answer,
    check_output,
    deliver,
    lacks,
    land,
    may_read,
    plan_emit,
    send,
    spread,
)

__all__ = [
    "CardView",
    "Cause",
    "ChainGuard",
    "Delivery",
    "Facts",
    "Landed",
    "NetworkGrant",
    "PeerView",
    "Plan",
    "RateWindow",
    "Reason",
    "Routed",
    "Skipped",
    "Target",
    "TokenBucket",
    "WebAddress",
    "ask",
    "check",
    "check_address",
    "check_answer",
    "check_headers",
    "check_output",
    "check_params",
    "check_permission",
    "deliver",
    "invalid_params",
    "issues_to_wire",
    "lacks",
    "land",
    "may_read",
    "named_secrets",
    "params_issues",
    "permission_denied",
    "plan_emit",
    "rate_limited",
    "send",
    "spread",
]
