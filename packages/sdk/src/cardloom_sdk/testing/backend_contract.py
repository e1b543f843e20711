"""What every backend must do, as checks that run on any of them and through any binding.

A check takes a subject: a client, and the words that make the backend's model behave in some way. `checks_for` picks
those that the backend's capabilities and the subject's words reach. The numbers are those of the specification's
conformance scenarios. Spec: session protocol, conformance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cardloom_protocol.session.capabilities import has

from . import contract_runs, contract_sessions, contract_workspace
from .contract_subject import Check, Row, Subject, rows

PARTS = (contract_sessions, contract_runs, contract_workspace)
"""The modules that fill the contract."""


def checks_for(capabilities: Mapping[str, object], words: Iterable[str]) -> list[Row]:
    """The checks that a backend with these capabilities and words must pass."""
    known = set(words)
    return [row for row in rows() if all(has(capabilities, need) for need in row.needs) and known.issuperset(row.words)]


__all__ = ["PARTS", "Check", "Row", "Subject", "checks_for", "rows"]
