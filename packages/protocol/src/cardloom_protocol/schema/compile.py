"""Schemas made ready for checking many values."""

from collections.abc import Mapping

from ..limits import limit
from .issue import Issue
from .node import read_schema
from .plain import plain_issue, plain_nodes
from .quick import Quick, Unsure, quick_test
from .value import Check

_MAX_ISSUES = limit("schemaIssues")
_BUDGET = limit("schemaBudget")
_MAX_DEPTH = limit("valueDepth")
_MAX_NODES = limit("valueNodes")


class CompiledSchema:
    """A schema read once. Changing the schema object afterwards changes nothing."""

    __slots__ = ("_charged", "_quick", "_root")

    def __init__(self, schema: Mapping[str, object]) -> None:
        self._root = read_schema(schema)
        self._quick = quick_test(self._root)
        self._charged: set[tuple[str, int]] = set()

    def check(
        self,
        value: object,
        *,
        max_issues: int = _MAX_ISSUES,
        budget: int = _BUDGET,
        max_depth: int = _MAX_DEPTH,
        max_nodes: int = _MAX_NODES,
    ) -> list[Issue]:
        """What is wrong with `value`, at most `max_issues` issues in the order of the specification.

        A value that is not plain JSON, too deep or too large has the one issue `json`, whatever `max_issues`.
        Work beyond `budget` is reported as `budget` where it ran out.
        """
        quick = self._quick
        if quick is not None and quick.cost.fits(budget, max_depth, max_nodes):
            if _passes(quick, value):
                return []
            quick = None
        nodes = plain_nodes(value, max_depth, max_nodes)
        if nodes < 0:
            fault = plain_issue(value, max_depth, max_nodes)
            return [] if fault is None else [fault]
        if quick is not None and quick.cost.fits_value(nodes, budget) and _passes(quick, value):
            return []
        check = Check(max_issues, budget, self._charged)
        check.visit(self._root, value, "", 0)
        return check.issues

    def is_valid(self, value: object) -> bool:
        """Whether `check` finds nothing."""
        return not self.check(value, max_issues=1)


def _passes(quick: Quick, value: object) -> bool:
    try:
        return quick.test(value)
    except Unsure:
        return False


def compile_schema(schema: Mapping[str, object]) -> CompiledSchema:
    """The schema ready for use. It should have passed `check_definition`; useless keywords have no effect."""
    return CompiledSchema(schema)
