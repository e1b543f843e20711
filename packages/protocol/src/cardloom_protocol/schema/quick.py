"""The plain yes or no about a value, as closures: what most values get, since most are right.

A quick test agrees with `value.py` on every value, or raises `Unsure` where agreeing would take counting the
work done. It does not count at all: `cost.py` bounds what a passing value can cost, and `compile.py` asks the
exact check wherever a limit might be felt.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, isfinite

from ..jstext import MAX_SAFE_INTEGER, as_double, point_length, utf16_length
from ..limits import limit
from .cost import MAX_CHOSEN_CHARS, MAX_UNIQUE_ITEMS, Cost, cost_of
from .node import NO_VALUE, Node, canonical_text
from .pattern import found
from .plain import kind_of
from .value import is_multiple

Test = Callable[[object], bool]


class Unsure(Exception):
    """The value may cost too much to answer without counting."""


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
    cost = cost_of(root, builder.tests)
    return None if cost is None else Quick(test, cost)


class _Builder:
    def __init__(self) -> None:
        self.tests: dict[Node, Test] = {}

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
    if len(items) > MAX_UNIQUE_ITEMS or not all(type(item) is str and len(item) <= MAX_CHOSEN_CHARS for item in items):
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
    texts = frozenset(text for text in decoded if isinstance(text, str) and len(text) <= MAX_CHOSEN_CHARS)

    def is_option(value: object) -> bool:
        if type(value) is str:
            if value in texts:
                return True
            if len(value) > MAX_CHOSEN_CHARS:
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
