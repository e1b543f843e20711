"""Whether a schema keeps to the subset. Spec: card host contract, JSON Schema subset."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Final, TypeGuard

from ..jstext import JsonValue, as_double, json_length, utf16_length
from ..limits import limit
from .formats import FORMATS
from .issue import Issue, pointer
from .pattern import is_pattern
from .plain import plain_nodes
from .references import resolve

TYPES: Final = frozenset({"null", "boolean", "string", "integer", "number", "array", "object"})
_MAX_BRANCHES: Final = 16


def check_definition(
    schema: object,
    *,
    allow_pattern: bool = False,
    max_nodes: int = limit("schemaNodes"),
    max_depth: int = limit("schemaDepth"),
    max_issues: int = limit("schemaIssues"),
) -> list[Issue]:
    """Every fault of `schema`, in the order of its keys; an empty list if it may be used.

    Each path points at the keyword, the issue's keyword is `schema` for a sub-schema that is no object,
    `size` and `depth` for the limits. A schema that brings more than `max_issues` is not entered further,
    though what was being looked at is reported to its end.
    """
    walk = _Walk(schema, allow_pattern, max_nodes, max_depth, max_issues)
    walk.enter(schema, "", 0)
    return walk.issues


class _Walk:
    """One pass over a schema: what was found so far, and what may still come."""

    def __init__(self, root: object, allow_pattern: bool, max_nodes: int, max_depth: int, max_issues: int) -> None:
        self.issues: list[Issue] = []
        self._root: Mapping[str, object] = root if isinstance(root, dict) else {}
        self._allow_pattern = allow_pattern
        self._max_nodes = max_nodes
        self._max_depth = max_depth
        self._max_issues = max_issues
        self._nodes = 0

    def enter(self, schema: object, path: str, depth: int) -> None:
        if len(self.issues) >= self._max_issues or self._nodes > self._max_nodes:
            return
        self._nodes += 1
        if self._nodes > self._max_nodes:
            self._report(path, "size", f"A schema may hold at most {self._max_nodes} sub-schemas.")
        elif depth > self._max_depth:
            self._report(path, "depth", f"A schema may be nested at most {self._max_depth} levels deep.")
        elif not isinstance(schema, dict):
            self._report(path, "schema", "A schema must be an object.")
        else:
            for keyword, value in schema.items():
                self._keyword(keyword, value, pointer(path, keyword), depth + 1)

    def _report(self, path: str, keyword: str, message: str) -> None:
        self.issues.append(Issue(path, keyword, message))

    def _keyword(self, keyword: str, value: object, path: str, depth: int) -> None:
        if keyword == "items" or (keyword == "additionalProperties" and not isinstance(value, bool)):
            self.enter(value, path, depth)
        elif keyword in ("properties", "$defs"):
            if not isinstance(value, dict):
                self._report(path, keyword, "This must be an object of schemas.")
                return
            for name, member in value.items():
                self.enter(member, pointer(path, name), depth)
        elif keyword in ("anyOf", "oneOf"):
            if not isinstance(value, list) or not 1 <= len(value) <= _MAX_BRANCHES:
                self._report(path, keyword, f"This must be a list of 1 to {_MAX_BRANCHES} schemas.")
                return
            for index, branch in enumerate(value):
                self.enter(branch, pointer(path, index), depth)
        elif keyword == "$ref":
            if resolve(self._root, value) is None:
                self._report(path, keyword, "This must be # or #/$defs/NAME, naming a definition of this schema.")
        elif keyword == "pattern":
            self._pattern(value, path)
        elif keyword not in _RULES:
            self._report(path, keyword, "This keyword is not supported.")
        elif (message := _RULES[keyword](value)) is not None:
            self._report(path, keyword, message)

    def _pattern(self, value: object, path: str) -> None:
        max_units = limit("schemaPatternChars")
        if not self._allow_pattern:
            self._report(path, "pattern", "Patterns are not allowed here.")
        elif not isinstance(value, str) or utf16_length(value) > max_units or not is_pattern(value):
            self._report(path, "pattern", f"This must be a regular expression of at most {max_units} units.")


# One rule a keyword: the complaint about its value, or None.


def _anything(_value: object) -> str | None:
    return None


def _text(value: object) -> str | None:
    return None if isinstance(value, str) else "This must be a text."


def _flag(value: object) -> str | None:
    return None if isinstance(value, bool) else "This must be true or false."


def _types(value: object) -> str | None:
    names = value if isinstance(value, list) else [value]
    known = bool(names) and all(isinstance(name, str) and name in TYPES for name in names)
    return None if known else f"This must be one or several of {', '.join(sorted(TYPES))}."


def _names(value: object) -> str | None:
    right = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return None if right else "This must be a list of names."


def _options(value: object) -> str | None:
    max_options, max_units = limit("schemaEnumOptions"), limit("schemaEnumBytes")
    right = isinstance(value, list) and 1 <= len(value) <= max_options and _is_json_within(value, max_units)
    return None if right else f"This must be a list of 1 to {max_options} JSON values, {max_units} units long at most."


def _constant(value: object) -> str | None:
    max_units = limit("schemaConstBytes")
    return None if _is_json_within(value, max_units) else f"This must be a JSON value of at most {max_units} units."


def _format(value: object) -> str | None:
    known = isinstance(value, str) and value in FORMATS
    return None if known else f"This must be one of {', '.join(FORMATS)}."


def _count(value: object) -> str | None:
    right = _is_finite(value) and value >= 0 and value % 1 == 0
    return None if right else "This must be a whole number, 0 or more."


def _number(value: object) -> str | None:
    return None if _is_finite(value) else "This must be a number."


def _divisor(value: object) -> str | None:
    return None if _is_finite(value) and value > 0 else "This must be a number above 0."


def _is_finite(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(as_double(value))


def _is_json(value: object) -> TypeGuard[JsonValue]:
    return plain_nodes(value, limit("valueDepth"), limit("valueNodes")) >= 0


def _is_json_within(value: object, max_units: int) -> bool:
    return _is_json(value) and json_length(value) <= max_units


_RULES: Final[Mapping[str, Callable[[object], str | None]]] = {
    **dict.fromkeys(("title", "description", "$comment"), _text),
    **dict.fromkeys(("$id", "$schema", "default", "examples", "deprecated", "readOnly", "writeOnly"), _anything),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _count),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _number),
    **dict.fromkeys(("additionalProperties", "uniqueItems"), _flag),
    "type": _types,
    "required": _names,
    "enum": _options,
    "const": _constant,
    "format": _format,
    "multipleOf": _divisor,
}
