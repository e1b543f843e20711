"""The plain yes or no about a value, as closures: what most values get, since most are right.

A quick test agrees with `value.py` on every value, or raises `Unsure` where agreeing would take counting the
work done. It does not count at all: `Cost` bounds beforehand what a passing value can cost, and `compile.py`
asks the exact check wherever a limit might be felt.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, inf, isfinite
from typing import Final

from ..jstext import MAX_SAFE_INTEGER, as_double, point_length, utf16_length
from ..limits import limit
from .node import NO_VALUE, WORK_UNIT_CHARS, Node, canonical_text
from .pattern import found
from .plain import kind_of
from .value import is_multiple

Test = Callable[[object], bool]

_MAX_CHOSEN_CHARS: Final = 256
_MAX_UNIQUE_ITEMS: Final = 1000
# The canonical text of the longest value that is compared: each character may be written as six.
_CHOICE_WORK: Final = -(-(6 * _MAX_CHOSEN_CHARS + 2) // WORK_UNIT_CHARS)


class Unsure(Exception):
    """The value may cost too much to answer without counting."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What the passing values of a schema have at most, each infinite if the schema does not say.

    `nodes` and `depth` are those of the value; finite ones also mean that the test itself proves the value
    plain JSON. `work` is that of the whole check; `work_per_node` and, once, `work_once` bound it by the nodes
    that a value turned out to have.
    """

    nodes: float
    depth: float
    work: float
    work_per_node: float
    work_once: float

    def fits(self, budget: int, max_depth: int, max_nodes: int) -> bool:
        """Whether no passing value can come near these limits."""
        return self.work <= budget and self.depth <= max_depth and self.nodes <= max_nodes

    def fits_value(self, nodes: int, budget: int) -> bool:
        """Whether a plain value of so many nodes stays within the budget."""
        return nodes * self.work_per_node + self.work_once <= budget


@dataclass(frozen=True, slots=True)
class Quick:
    """A test and what it costs."""

    test: Test
    cost: Cost


def quick_test(root: Node) -> Quick | None:
    """The quick test of a schema; None where references turn in circles or run too long."""
    builder = _Builder()
    test = builder.test(root)
    references = sum(node.refers for node in builder.tests)
    if references > limit("schemaRefHops"):
        return None
    per_node = max(builder.same_value_work(node) for node in builder.tests)
    if per_node == inf:
        return None
    once = sum(node.constant_work + node.options_work for node in builder.tests)
    bound = builder.bound(root)
    return Quick(test, Cost(bound.nodes, bound.depth, bound.work + once, per_node, once))


@dataclass(frozen=True, slots=True)
class _Bound:
    nodes: float
    depth: float
    work: float


_UNBOUND: Final = _Bound(inf, inf, inf)


def _visit_work(node: Node) -> float:
    """The most that one visit of one node costs, what lies below and beside it left out."""
    choice = _CHOICE_WORK if node.constant is not None or node.options is not None else 0
    compared = min(_MAX_UNIQUE_ITEMS, inf if node.max_items is None else node.max_items) if node.unique else 0
    return 1 + choice + _CHOICE_WORK * compared


class _Builder:
    def __init__(self) -> None:
        self.tests: dict[Node, Test] = {}
        self._bounds: dict[Node, _Bound] = {}
        self._works: dict[Node, float] = {}

    # Tests

    def test(self, node: Node) -> Test:
        if node in self.tests:
            return self.tests[node]
        self.tests[node] = lambda value: self.tests[node](value)  # a recursive schema meets itself through this
        test = self._build(node)
        self.tests[node] = test
        return test

    def _build(self, node: Node) -> Test:
        tests: list[Test] = []
        if node.types is not None or _has_kind_keywords(node):
            tests.append(_kind_test(node, self._kind_tests(node)))
        if node.constant is not None:
            tests.append(_chosen(frozenset([node.constant])))
        if node.options is not None:
            tests.append(_chosen(node.options))
        if node.refers:
            tests.append(_never if node.target is None else self.test(node.target))
        if node.any_of is not None:
            tests.append(_any_of([self.test(branch) for branch in node.any_of]))
        if node.one_of is not None:
            tests.append(_one_of([self.test(branch) for branch in node.one_of]))
        return tests[0] if len(tests) == 1 else _all(tests) if tests else _always

    def _kind_tests(self, node: Node) -> dict[type, Test]:
        """A test for each Python type of the kinds that the node's types allow."""
        types = node.types
        tests: dict[type, Test] = {}
        if types is None or "string" in types:
            tests[str] = _text(node)
        if types is None or "number" in types or "integer" in types:
            tests[int] = _number(node, whole=False)
            tests[float] = _number(node, whole=types is not None and "number" not in types)
        if types is None or "array" in types:
            tests[list] = _array(node, None if node.items is None else self.test(node.items))
        if types is None or "object" in types:
            members = {name: self.test(member) for name, member in node.properties.items()}
            other = self.test(node.additional) if isinstance(node.additional, Node) else node.additional is not False
            tests[dict] = _object(node, members, other)
        if types is None or "boolean" in types:
            tests[bool] = _always
        if types is None or "null" in types:
            tests[type(None)] = _always
        return tests

    # Costs

    def same_value_work(self, node: Node) -> float:
        """The most that one value costs at this node, its references and its branches."""
        if node not in self._works:
            self._works[node] = inf  # stands if the node is met again below itself
            beside = [*(node.any_of or ()), *(node.one_of or ()), *([node.target] if node.target else [])]
            self._works[node] = _visit_work(node) + sum(map(self.same_value_work, beside))
        return self._works[node]

    def bound(self, node: Node) -> _Bound:
        if node not in self._bounds:
            self._bounds[node] = _UNBOUND  # stands if the node is met again below itself
            self._bounds[node] = self._bound(node)
        return self._bounds[node]

    def _bound(self, node: Node) -> _Bound:
        own = self._own_bound(node)
        branches = [self.bound(branch) for branch in node.any_of or ()]
        choices = [self.bound(branch) for branch in node.one_of or ()]
        target = [self.bound(node.target)] if node.target else []
        beside = [own, *target]
        if node.constant is not None or node.options is not None:
            beside.append(_Bound(1, 0, 0))  # the test passes no containers
        for alternatives in (branches, choices):
            if alternatives:
                beside.append(_Bound(max(one.nodes for one in alternatives), max(one.depth for one in alternatives), 0))
        work = own.work + sum(one.work for one in (*target, *branches, *choices))
        return _Bound(min(one.nodes for one in beside), min(one.depth for one in beside), work)

    def _own_bound(self, node: Node) -> _Bound:
        """The bound that the node's own types, members and entries set."""
        work = _visit_work(node)
        if node.types is None:
            return _Bound(inf, inf, inf if self._looks_below(node) else work)
        nodes, depth = 1.0, 0.0
        below: list[tuple[float, _Bound]] = []
        if "array" in node.types:
            most = inf if node.max_items is None else node.max_items
            below.append((most, _UNBOUND if node.items is None else self.bound(node.items)))
        if "object" in node.types:
            below.extend((1, self.bound(member)) for member in node.properties.values())
            if node.additional is not False:
                most = inf if node.max_properties is None else node.max_properties
                below.append((most, self.bound(node.additional) if isinstance(node.additional, Node) else _UNBOUND))
        for count, bound in below:
            if count > 0:
                nodes += count * bound.nodes
                depth = max(depth, 1 + bound.depth)
                work += count * bound.work
        return _Bound(nodes, depth, work)

    @staticmethod
    def _looks_below(node: Node) -> bool:
        return node.items is not None or bool(node.properties) or isinstance(node.additional, Node)


def _has_kind_keywords(node: Node) -> bool:
    """Whether any keyword looks at values of one kind only."""
    limits = (
        *(node.min_length, node.max_length, node.pattern, node.format),
        *(node.minimum, node.maximum, node.exclusive_minimum, node.exclusive_maximum, node.multiple_of),
        *(node.min_items, node.max_items, node.items, node.min_properties, node.max_properties),
    )
    special = node.unique or node.required or node.properties or node.additional not in (None, True)
    return bool(special) or any(limit is not None for limit in limits)


# One factory a kind of value. Each test looks at the type itself, so that a lone one needs no dispatch.


def _always(_value: object) -> bool:
    return True


def _never(_value: object) -> bool:
    return False


def _kind_test(node: Node, tests: dict[type, Test]) -> Test:
    if node.types is not None and len(tests) == 1:
        (kind, test), *_ = tests.items()
        return test if kind in (str, list, dict) else lambda value: type(value) is kind and test(value)
    lookup = tests.get

    def by_kind(value: object) -> bool:
        test = lookup(type(value))
        return test is not None and test(value)

    return by_kind


def _bounds(least: float | None, most: float | None) -> tuple[int, int]:
    """Two limits of a length as integers, which compare faster."""
    upper = sys.maxsize if most is None or most >= sys.maxsize else floor(most)
    return (0 if least is None else ceil(least)), upper


def _text(node: Node) -> Test:
    least, upper = _bounds(node.min_length, node.max_length)
    pattern, fits = node.pattern, node.format

    def fits_exactly(value: object) -> bool:
        if type(value) is not str or (not value.isascii() and utf16_length(value) > upper * 2):
            return False
        return least <= point_length(value) <= upper

    def length_fits(value: object) -> bool:
        # A text has no more characters than Python counts, and at least one if Python counts any.
        return type(value) is str and (least <= len(value) <= upper or fits_exactly(value))

    def text_fits(value: object) -> bool:
        if type(value) is not str or not test(value):
            return False
        return (pattern is None or found(pattern, value)) and (fits is None or fits(value))

    test = length_fits if least <= 1 else fits_exactly
    return test if pattern is None and fits is None else text_fits


def _number(node: Node, *, whole: bool) -> Test:
    minimum, maximum, divisor = node.minimum, node.maximum, node.multiple_of
    above, below = node.exclusive_minimum, node.exclusive_maximum

    def is_number(value: object) -> bool:
        if type(value) is int:
            return -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER or kind_of(value) != "invalid"
        return type(value) is float and (value.is_integer() if whole else isfinite(value))

    def fits(value: object) -> bool:
        if not isinstance(value, int | float) or not is_number(value):
            return False
        number = as_double(value)
        return (
            (minimum is None or number >= minimum)
            and (maximum is None or number <= maximum)
            and (above is None or number > above)
            and (below is None or number < below)
            and (divisor is None or is_multiple(number, divisor))
        )

    return is_number if (minimum, maximum, above, below, divisor) == (None,) * 5 else fits


def _array(node: Node, item: Test | None) -> Test:
    least, most = _bounds(node.min_items, node.max_items)
    unique = node.unique

    def fits(value: object) -> bool:
        if type(value) is not list or not least <= len(value) <= most:
            return False
        return (item is None or all(map(item, value))) and (not unique or _all_differ(value))

    return fits


def _all_differ(items: list[object]) -> bool:
    if len(items) > _MAX_UNIQUE_ITEMS or not all(
        type(item) is str and len(item) <= _MAX_CHOSEN_CHARS for item in items
    ):
        raise Unsure
    return len({canonical_text(item) for item in items}) == len(items)


def _object(node: Node, members: dict[str, Test], other: Test | bool) -> Test:
    least, most = _bounds(node.min_properties, node.max_properties)
    counted = node.min_properties is not None or node.max_properties is not None
    required = node.required
    lookup = members.get
    fallback: Test | None = {True: _always, False: None}[other] if isinstance(other, bool) else other

    def fits(value: object) -> bool:
        if type(value) is not dict or (counted and not least <= len(value) <= most):
            return False
        for name in required:
            if name not in value:
                return False
        for name, member in value.items():
            test = lookup(name, fallback)
            if test is None or not test(member):
                return False
        return True

    return fits


def _chosen(options: frozenset[str]) -> Test:
    """Equality with an option; containers and long texts are left to the exact check."""
    decoded = [json.loads(option) for option in options if option != NO_VALUE]
    texts = frozenset(text for text in decoded if isinstance(text, str) and len(text) <= _MAX_CHOSEN_CHARS)

    def is_option(value: object) -> bool:
        if type(value) is str:
            if value in texts:
                return True
            if len(value) > _MAX_CHOSEN_CHARS:
                raise Unsure
            return not value.isascii() and canonical_text(value) in options  # two halves may make one character
        if type(value) in (list, dict):
            raise Unsure
        return kind_of(value) != "invalid" and canonical_text(value) in options

    return is_option


def _all(tests: list[Test]) -> Test:
    def passes(value: object) -> bool:
        for test in tests:  # noqa: SIM110 - a generator takes twice as long
            if not test(value):
                return False
        return True

    return passes


def _any_of(tests: list[Test]) -> Test:
    def passes(value: object) -> bool:
        for test in tests:  # noqa: SIM110 - as above
            if test(value):
                return True
        return False

    return passes


def _one_of(tests: list[Test]) -> Test:
    def passes(value: object) -> bool:
        fitting = 0
        for test in tests:
            fitting += test(value)
            if fitting > 1:
                return False
        return fitting == 1

    return passes
