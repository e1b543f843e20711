"""The shape of a manifest as a JSON Schema: the first stage of reading one.

The same table for both kinds of card; a card written in Python names its program under `python` where
a card with a page has `entry`. Spec: manifest; decision 31.
"""

from collections.abc import Mapping

from ..jstext import JsonValue
from ..limits import limit

MANIFEST_SCHEMA_ID = "https://neurosquad.ai/schemas/neurosquad-card.v1.json"
"""The id of the published schema, which manifests in the wild refer to."""

_VERSION_PATTERN = r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$"

_Schema = dict[str, JsonValue]


def _text(max_length: int) -> _Schema:
    return {"type": "string", "minLength": 1, "maxLength": max_length}


def _matching(pattern: str) -> _Schema:
    return {"type": "string", "pattern": pattern}


def _list(items: _Schema, max_items: int) -> _Schema:
    return {"type": "array", "maxItems": max_items, "items": items}


def _object(properties: dict[str, JsonValue], *required: str) -> _Schema:
    schema: _Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return {"required": list(required), **schema} if required else schema


def _localized(max_length: int) -> _Schema:
    texts: dict[str, JsonValue] = {language: _text(max_length) for language in ("en", "ru", "zh")}
    return {"anyOf": [_text(max_length), _object(texts, "en")]}


def _ref(name: str) -> _Schema:
    return {"$ref": f"#/$defs/{name}"}


_HTTPS_URL: _Schema = {"type": "string", "format": "uri", "maxLength": 500, "pattern": "^https://"}
_VERSION: _Schema = {"type": "string", "maxLength": 64, "pattern": _VERSION_PATTERN}
_BOOLEAN: _Schema = {"type": "boolean"}
_ANY_OBJECT: _Schema = {"type": "object"}
_PACKAGE_PATH = _text(limit("pathChars"))

_SIZE = _object(
    {
        "w": {"type": "integer", "minimum": 200, "maximum": 2400},
        "h": {"type": "integer", "minimum": 120, "maximum": 1800},
    },
    "w",
    "h",
)

_PORT = _object(
    {
        "id": _matching("^[a-z][a-z0-9-]{0,31}$"),
        "label": _ref("localized80"),
        "description": _ref("localized500"),
        "type": _text(97),
        "schema": _ANY_OBJECT,
        "mode": {"enum": ["stream", "request"]},
        "response": _object({"type": _text(97), "schema": _ANY_OBJECT}, "type"),
        "retain": _BOOLEAN,
        "default": _BOOLEAN,
    },
    "id",
    "label",
    "type",
)

_PERMISSION = _object(
    {
        "id": _text(64),
        "hosts": _list(_text(260), limit("permissionHosts")),
        "reason": _ref("localized300"),
        "optional": _BOOLEAN,
    },
    "id",
)

_OPTION = _object({"value": {"type": "string", "maxLength": 200}, "label": _ref("localized80")}, "value", "label")

_SETTING = _object(
    {
        "key": _matching("^[a-zA-Z][a-zA-Z0-9_-]{0,63}$"),
        "type": {"enum": ["string", "text", "number", "boolean", "select", "secret", "color"]},
        "label": _ref("localized80"),
        "description": _ref("localized300"),
        "default": {"type": ["string", "number", "boolean"]},
        "required": _BOOLEAN,
        "scope": {"enum": ["instance", "package"]},
        "placeholder": _ref("localized80"),
        "maxLength": {"type": "integer", "minimum": 1, "maximum": 100_000},
        "min": {"type": "number"},
        "max": {"type": "number"},
        "step": {"type": "number", "exclusiveMinimum": 0},
        "options": {"minItems": 1, **_list(_OPTION, 50)},
    },
    "key",
    "type",
    "label",
)

_TOOL = _object(
    {
        "name": _matching("^[a-z][a-z0-9_]{0,39}$"),
        "title": _text(80),
        "description": _text(2000),
        "inputSchema": _ANY_OBJECT,
        "readOnly": _BOOLEAN,
        "timeoutMs": {"type": "integer", "minimum": 1000, "maximum": limit("toolMaxTimeoutMs")},
    },
    "name",
    "description",
    "inputSchema",
)

_COMMON_PROPERTIES: dict[str, JsonValue] = {
    "$schema": {"type": "string", "maxLength": 500},
    "manifestVersion": {"const": 1},
    "name": _matching("^[a-z][a-z0-9-]{1,47}$"),
    "displayName": _ref("localized80"),
    "version": _VERSION,
    "description": _ref("localized300"),
    "author": _object({"name": _text(100), "url": _HTTPS_URL}, "name"),
    "license": _text(100),
    "homepage": _HTTPS_URL,
    "icon": _PACKAGE_PATH,
    "protocol": {"type": "integer", "minimum": 1, "maximum": 1000},
    "minAppVersion": _VERSION,
    "card": _object({"defaultSize": _ref("size"), "minSize": _ref("size"), "maxSize": _ref("size")}),
    "permissions": _list({"anyOf": [_text(64), _PERMISSION]}, 32),
    "settings": _list(_SETTING, limit("settings")),
    "ports": _object(
        {
            "inputs": _list(_ref("port"), limit("portsPerDirection")),
            "outputs": _list(_ref("port"), limit("portsPerDirection")),
        }
    ),
    "tools": _list(_TOOL, limit("toolsPerPackage")),
    "keywords": {"uniqueItems": True, **_list(_text(40), 20)},
}

_DEFINITIONS: dict[str, JsonValue] = {
    "localized80": _localized(80),
    "localized300": _localized(300),
    "localized500": _localized(500),
    "size": _SIZE,
    "port": _PORT,
}

_REQUIRED = ("manifestVersion", "name", "displayName", "version", "protocol")

MANIFEST_SCHEMA: Mapping[str, JsonValue] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": MANIFEST_SCHEMA_ID,
    "$defs": _DEFINITIONS,
    **_object({**_COMMON_PROPERTIES, "entry": _PACKAGE_PATH}, *_REQUIRED),
}
"""The manifest of a card with a page, `neurosquad-card.json`."""

PYTHON_MANIFEST_SCHEMA: Mapping[str, JsonValue] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": _DEFINITIONS,
    **_object({**_COMMON_PROPERTIES, "python": _PACKAGE_PATH}, *_REQUIRED, "python"),
}
"""The manifest of a card written in Python, `cardloom-card.json`."""
