"""A value against a schema, exactly: which issues, in which order, at which cost.

Spec: card host contract, behaviour notes, "Value against schema". `quick.py` says the plain yes or no faster.
"""

from collections.abc import Sequence
from math import floor, isinf

from ..jstext import as_double, number_text, point_length, utf16_length
from ..limits import limit
from .issue import Issue, pointer
from .node import Node, canonical_text, text_work
from .pattern import found
from .plain import kind_of

_MAX_REF_HOPS = limit("schemaRefHops")
_TOLERANCE = 1e-9


class Check:
    """One value being checked: the issues so far and the work that may still be done.

    `charged` outlives a check: the canonical text of a const or an enum is built once a schema.
    """

    __slots__ = ("_charged", "_left", "_max_issues", "issues")

    def __init__(self, max_issues: int, budget: int, charged: set[tuple[str, int]]) -> None:
        self.issues: list[Issue] = []
        self._max_issues = max_issues
        self._left = budget
        self._charged = charged

    def visit(self, node: Node, value: object, path: str, ref_hops: int) -> None:
        """Report what is wrong with `value`; keywords that speak of another kind have no say."""
        if len(self.issues) >= self._max_issues:
            return
        if self._left <= 0:
            self._report(path, "budget", "The value takes too much work to check.")
            return
        self._left -= 1
        if node.refers:
            if node.target is None or ref_hops >= _MAX_REF_HOPS:
                self._report(path, "$ref", "The schema's reference leads nowhere.")
                return
            self.visit(node.target, value, path, ref_hops + 1)
        kind = kind_of(value)
        if node.types is not None and not matches_type(node.types, kind):
            self._report(path, "type", f"Expected {_alternatives(node.types)}, got {kind}.")
            return
        self._chosen(node, value, path)
        if self._fits_kind(node, value, path):
            self._branches(node, value, path, ref_hops)

    def _report(self, path: str, keyword: str, message: str) -> None:
        if len(self.issues) < self._max_issues:
            self.issues.append(Issue(path, keyword, message))

    def _charge_once(self, keyword: str, node: Node, work: int) -> None:
        key = (keyword, id(node))
        if key not in self._charged:
            self._charged.add(key)
            self._left -= work

    def _chosen(self, node: Node, value: object, path: str) -> None:
        if node.constant is None and node.options is None:
            return
        text = canonical_text(value)
        self._left -= text_work(text)
        if node.constant is not None:
            self._charge_once("const", node, node.constant_work)
            if text != node.constant:
                self._report(path, "const", "Only one value is allowed here.")
        if node.options is not None:
            self._charge_once("enum", node, node.options_work)
            if text not in node.options:
                self._report(path, "enum", "This is none of the allowed values.")

    def _fits_kind(self, node: Node, value: object, path: str) -> bool:
        """Run the keywords of the value's kind; False if the node ends here."""
        if isinstance(value, str):
            self._text(node, value, path)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._number(node, as_double(value), path)
        elif isinstance(value, list):
            return self._array(node, value, path)
        elif isinstance(value, dict):
            return self._object(node, value, path)
        return True

    def _text(self, node: Node, text: str, path: str) -> None:
        least, most = node.min_length, node.max_length
        if most is not None and len(text) * 2 > most and utf16_length(text) > most * 2:
            self._report(path, "maxLength", f"At most {number_text(most)} characters are allowed.")
        elif least is not None or most is not None:
            length = point_length(text)
            if least is not None and length < least:
                self._report(path, "minLength", f"At least {number_text(least)} characters are needed.")
            if most is not None and length > most:
                self._report(path, "maxLength", f"At most {number_text(most)} characters are allowed.")
        if node.pattern is not None and not found(node.pattern, text):
            self._report(path, "pattern", f"The text does not match {node.pattern}.")
        if node.format is not None and not node.format(text):
            self._report(path, "format", "The text does not have the expected format.")

    def _number(self, node: Node, number: float, path: str) -> None:
        if node.minimum is not None and number < node.minimum:
            self._report(path, "minimum", f"The number must be {number_text(node.minimum)} or more.")
        if node.maximum is not None and number > node.maximum:
            self._report(path, "maximum", f"The number must be {number_text(node.maximum)} or less.")
        if node.exclusive_minimum is not None and number <= node.exclusive_minimum:
            self._report(path, "exclusiveMinimum", f"The number must be above {number_text(node.exclusive_minimum)}.")
        if node.exclusive_maximum is not None and number >= node.exclusive_maximum:
            self._report(path, "exclusiveMaximum", f"The number must be below {number_text(node.exclusive_maximum)}.")
        if node.multiple_of is not None and not is_multiple(number, node.multiple_of):
            self._report(path, "multipleOf", f"The number must be a multiple of {number_text(node.multiple_of)}.")

    def _array(self, node: Node, items: Sequence[object], path: str) -> bool:
        if node.min_items is not None and len(items) < node.min_items:
            self._report(path, "minItems", f"At least {number_text(node.min_items)} entries are needed.")
        if node.max_items is not None and len(items) > node.max_items:
            self._report(path, "maxItems", f"At most {number_text(node.max_items)} entries are allowed.")
            return False
        if node.unique and self._has_twins(items):
            self._report(path, "uniqueItems", "Two entries are equal.")
        if node.items is not None:
            for index, item in enumerate(items):
                self.visit(node.items, item, f"{path}/{index}", 0)
        return True

    def _has_twins(self, items: Sequence[object]) -> bool:
        seen: set[str] = set()
        for item in items:
            text = canonical_text(item)
            self._left -= text_work(text)
            if text in seen:
                return True
            seen.add(text)
        return False

    def _object(self, node: Node, members: dict[str, object], path: str) -> bool:
        if node.min_properties is not None and len(members) < node.min_properties:
            self._report(path, "minProperties", f"At least {number_text(node.min_properties)} members are needed.")
        if node.max_properties is not None and len(members) > node.max_properties:
            self._report(path, "maxProperties", f"At most {number_text(node.max_properties)} members are allowed.")
            return False
        for name in node.required:
            if name not in members:
                self._report(pointer(path, name), "required", "This member is missing.")
        for name, member in members.items():
            rule = node.properties.get(name, node.additional)
            if isinstance(rule, Node):
                self.visit(rule, member, pointer(path, name), 0)
            elif rule is False:
                self._report(pointer(path, name), "additionalProperties", "This member is not allowed.")
        return True

    def _branches(self, node: Node, value: object, path: str, ref_hops: int) -> None:
        if node.any_of is not None and not any(self._passes(one, value, path, ref_hops) for one in node.any_of):
            self._report(path, "anyOf", "The value fits none of the alternatives.")
        if node.one_of is not None:
            fitting = 0
            for branch in node.one_of:
                fitting += self._passes(branch, value, path, ref_hops)
                if fitting > 1:
                    break
            if fitting != 1:
                self._report(
                    path, "oneOf", f"The value must fit one alternative, not {'several' if fitting else 'none'}."
                )

    def _passes(self, branch: Node, value: object, path: str, ref_hops: int) -> bool:
        """Whether a branch accepts the value: its issues stay inside, its work counts."""
        outside, max_issues = self.issues, self._max_issues
        self.issues, self._max_issues = [], 1
        self.visit(branch, value, path, ref_hops)
        passed = not self.issues
        self.issues, self._max_issues = outside, max_issues
        return passed


def matches_type(types: frozenset[str], kind: str) -> bool:
    """Whether a value of this kind is one of the types; an integer is a number too."""
    return kind in types or (kind == "integer" and "number" in types)


def is_multiple(number: float, divisor: float) -> bool:
    """Whether the quotient lies within 1e-9 of a whole number, or beyond all numbers."""
    quotient = number / divisor
    return isinf(quotient) or abs(quotient - floor(quotient + 0.5)) <= _TOLERANCE


def _alternatives(types: frozenset[str]) -> str:
    return " or ".join(sorted(types)) or "nothing"
