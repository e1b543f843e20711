"""A schema of the subset as a TypeScript type, and as the short notation of the reference pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

_SCALARS = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}


def typescript_type(schema: Schema) -> str:
    """The TypeScript type of the values that fit; `unknown` where the schema says nothing."""
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "enum" in schema:
        return " | ".join(json.dumps(option, ensure_ascii=False) for option in schema["enum"])
    if "anyOf" in schema or "oneOf" in schema:
        return " | ".join(typescript_type(branch) for branch in schema.get("anyOf") or schema["oneOf"])
    types = _types(schema)
    return " | ".join(_one_typescript_type(name, schema) for name in types) if types else "unknown"


def _one_typescript_type(name: str, schema: Schema) -> str:
    if name == "array":
        item = typescript_type(schema.get("items", {}))
        return f"readonly ({item})[]" if "|" in item else f"readonly {item}[]"
    if name != "object":
        return _SCALARS[name]
    properties: Mapping[str, Schema] = schema.get("properties", {})
    if properties:
        required = schema.get("required", ())
        fields = (
            f"readonly {key}{'' if key in required else '?'}: {typescript_type(shape)}"
            for key, shape in properties.items()
        )
        return f"{{ {'; '.join(fields)} }}"
    if schema.get("maxProperties") == 0 or schema.get("additionalProperties") is False:
        return "Readonly<Record<string, never>>"
    members = schema.get("additionalProperties", True)
    return f"Readonly<Record<string, {typescript_type(members) if isinstance(members, Mapping) else 'unknown'}>>"


def notation(schema: Schema) -> str:
    """The values that fit, as `{id: text 1–128, lines?: whole 1–500}`."""
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "enum" in schema:
        options = [str(option) for option in schema["enum"]]
        shown = options if len(options) <= 14 else [*options[:3], f"… ({len(options)} words)"]
        return " | ".join(shown)
    if "anyOf" in schema or "oneOf" in schema:
        return " | ".join(notation(branch) for branch in schema.get("anyOf") or schema["oneOf"])
    types = _types(schema)
    return " | ".join(_one_notation(name, schema) for name in types) if types else "any"


def _one_notation(name: str, schema: Schema) -> str:
    if name == "object":
        return _object_notation(schema)
    if name == "array":
        item = notation(schema.get("items", {}))
        return _bounded(f"{_grouped(item)}[]", schema, "minItems", "maxItems")
    if name == "string":
        return _bounded(schema.get("format", "text"), schema, "minLength", "maxLength")
    if name in ("integer", "number"):
        return _bounded("whole" if name == "integer" else "number", schema, "minimum", "maximum")
    return name


def _grouped(words: str) -> str:
    """Words in brackets, unless they are one word or one object."""
    is_one = words.isalpha() or (words.startswith("{") and words.endswith("}") and words.count("}") == 1)
    return words if is_one else f"({words})"


def _object_notation(schema: Schema) -> str:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    if schema.get("maxProperties") == 0:
        return "{}"
    if not properties:
        members = schema.get("additionalProperties", True)
        inner = f"…: {notation(members)}" if isinstance(members, Mapping) else "…"
        return _bounded(f"{{{inner}}}", schema, "minProperties", "maxProperties")
    required = schema.get("required", ())
    fields = (f"{key}{'' if key in required else '?'}: {notation(shape)}" for key, shape in properties.items())
    return f"{{{', '.join(fields)}}}"


def _bounded(word: str, schema: Schema, least: str, most: str) -> str:
    bounds = "".join(_bounds(schema.get(least), schema.get(most)))
    return f"{word} {bounds}" if bounds else word


def _bounds(least: float | None, most: float | None) -> Iterator[str]:
    if least and most is not None:
        yield f"{least}–{most}"
    elif most is not None:
        yield f"≤ {most}"
    elif least:
        yield f"≥ {least}"


def _types(schema: Schema) -> list[str]:
    declared = schema.get("type", ())
    return [declared] if isinstance(declared, str) else list(declared)
