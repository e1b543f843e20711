"""Reading manifests: shape, meaning, defaults, and cards written in Python."""

from typing import Any

import pytest

from cardloom_protocol.manifest import (
    BUILTIN_TOOLS,
    RESERVED_NAMES,
    ManifestResult,
    declared_permissions,
    parse_manifest,
    parse_python_manifest,
    tool_full_name,
)
from cardloom_protocol.permissions import Permission


def minimal(**fields: Any) -> dict[str, Any]:
    return {
        "manifestVersion": 1,
        "name": "my-card",
        "displayName": "My card",
        "version": "1.0.0",
        "protocol": 1,
    } | fields


def found(result: ManifestResult) -> list[tuple[str, str]]:
    assert result.ok is (not result.issues)
    return [(issue.path, issue.code) for issue in result.issues]


def port(**fields: Any) -> dict[str, Any]:
    return {"id": "p", "label": "P", "type": "ns:text"} | fields


def tool(**fields: Any) -> dict[str, Any]:
    return {"name": "do_it", "description": "Does it.", "inputSchema": {"type": "object"}} | fields


def test_a_minimal_manifest_gets_every_default() -> None:
    result = parse_manifest(minimal())
    assert result.manifest == minimal() | {
        "entry": "index.html",
        "card": {
            "defaultSize": {"w": 420, "h": 320},
            "minSize": {"w": 200, "h": 120},
            "maxSize": {"w": 2400, "h": 1800},
        },
        "permissions": [],
        "settings": [],
        "ports": {"inputs": [], "outputs": []},
        "tools": [],
    }


def test_faults_of_shape_hide_faults_of_meaning() -> None:
    assert found(parse_manifest(minimal(name="note", surprise=1))) == [("/surprise", "schema")]
    assert found(parse_manifest(minimal(name="note"))) == [("/name", "semantic")]


def test_a_newer_protocol_is_told_apart_and_comes_with_the_other_faults() -> None:
    assert found(parse_manifest(minimal(name="note", protocol=2))) == [
        ("/name", "semantic"),
        ("/protocol", "protocol"),
    ]


def test_an_issue_names_what_is_wrong() -> None:
    issue = parse_manifest(minimal(entry="../index.html")).issues[0]
    assert issue.to_wire() == {
        "path": "/entry",
        "code": "semantic",
        "message": "'../index.html' is no path of a .html or .htm file in the package.",
    }


def test_permissions_come_merged_and_can_be_taken_out() -> None:
    asked = ["usage.read", {"id": "fs.read", "optional": True}, {"id": "fs.read", "optional": True}]
    manifest = parse_manifest(minimal(permissions=asked)).manifest
    assert manifest is not None
    assert declared_permissions(manifest) == (Permission("fs.read", optional=True), Permission("usage.read"))


@pytest.mark.parametrize(
    ("fields", "paths"),
    [
        ({"displayName": {"en": "a\u200bb", "ru": "\u202e"}}, ["/displayName/en", "/displayName/ru"]),
        ({"description": "one\ntwo\r\n"}, ["/description"]),
        ({"author": {"name": "a\u00adb"}, "license": "a\tb"}, ["/author/name", "/license"]),
        ({"keywords": ["fine", "a\nb"]}, ["/keywords/1"]),
        ({"entry": "__ns/index.html"}, ["/entry"]),
        ({"icon": "icon.svg"}, ["/icon"]),
        ({"card": {"minSize": {"w": 500, "h": 200}}}, ["/card"]),
        ({"permissions": ["fly", {"id": "fs.read", "reason": "a\u200b"}]}, ["/permissions/0", "/permissions/1/reason"]),
    ],
)
def test_faults_of_meaning_are_found_at_their_place(fields: dict[str, Any], paths: list[str]) -> None:
    assert found(parse_manifest(minimal(**fields))) == [(path, "semantic") for path in paths]


@pytest.mark.parametrize(
    ("setting", "paths"),
    [
        ({"type": "secret", "default": "x"}, ["/default"]),
        ({"type": "select"}, ["/options"]),
        ({"type": "string", "options": [{"value": "a", "label": "A"}]}, ["/options"]),
        (
            {"type": "select", "options": [{"value": "a", "label": "\x00"}], "default": "b"},
            ["/options/0/label", "/default"],
        ),
        ({"type": "number", "default": 11, "min": 12, "max": 10}, ["", "/default"]),
        ({"type": "number", "default": True}, ["/default"]),
        ({"type": "boolean", "default": "no"}, ["/default"]),
        ({"type": "text", "default": 1}, ["/default"]),
        ({"type": "color", "default": "red"}, ["/default"]),
        ({"type": "string", "placeholder": "a\nb", "description": "a\nb"}, ["/placeholder"]),
    ],
)
def test_a_setting_that_contradicts_itself_is_found(setting: dict[str, Any], paths: list[str]) -> None:
    result = parse_manifest(minimal(settings=[{"key": "k", "label": "K"} | setting]))
    assert found(result) == [(f"/settings/0{path}", "semantic") for path in paths]


def test_a_setting_key_is_used_once() -> None:
    setting = {"key": "k", "label": "K", "type": "string"}
    assert found(parse_manifest(minimal(settings=[setting, setting]))) == [("/settings/1/key", "semantic")]


@pytest.mark.parametrize(
    ("fields", "paths"),
    [
        ({"type": "ns:unheard"}, ["/type"]),
        ({"type": "my-card/thing"}, ["/schema"]),
        ({"label": {"en": "x", "ru": "\u00a0"}}, [""]),
        ({"label": " ", "description": "\n"}, ["", ""]),
        ({"schema": {"items": {"pattern": "x"}}}, ["/schema/items/pattern"]),
        ({"retain": False}, ["/retain"]),
        ({"mode": "request"}, ["/response"]),
        ({"response": {"type": "ns:unheard"}}, ["/response"]),
        (
            {"mode": "request", "response": {"type": "nothing", "schema": {"x": 1}}},
            ["/response/type", "/response/schema/x"],
        ),
    ],
)
def test_an_input_that_cannot_work_is_found(fields: dict[str, Any], paths: list[str]) -> None:
    result = parse_manifest(minimal(ports={"inputs": [port(**fields)]}))
    assert found(result) == [(f"/ports/inputs/0{path}", "semantic") for path in paths]


@pytest.mark.parametrize("field", [{"mode": "stream"}, {"default": False}, {"response": {"type": "ns:text"}}])
def test_an_output_has_none_of_the_fields_of_an_input(field: dict[str, Any]) -> None:
    result = parse_manifest(minimal(ports={"outputs": [port(**field)]}))
    assert found(result) == [("/ports/outputs/0", "semantic")]


def test_port_ids_are_used_once_a_direction_and_one_input_at_most_is_the_default() -> None:
    both = {"inputs": [port(default=True), port(id="q", default=True)], "outputs": [port(), port()]}
    assert found(parse_manifest(minimal(ports=both))) == [
        ("/ports/outputs/1/id", "semantic"),
        ("/ports/inputs", "semantic"),
    ]


def test_a_type_of_another_package_is_a_warning_alone() -> None:
    result = parse_manifest(minimal(ports={"outputs": [port(type="pantry/stock", schema={})]}))
    assert result.ok
    assert [warning.to_wire() for warning in result.warnings] == [
        {"path": "/ports/outputs/0/type", "message": "The type 'pantry/stock' belongs to the package 'pantry'."}
    ]


@pytest.mark.parametrize(
    ("package", "fields", "paths"),
    [
        ("my-card", {"inputSchema": {"type": ["object"]}}, ["/inputSchema/type"]),
        ("my-card", {"inputSchema": {"type": "object", "properties": {"card": {}}}}, ["/inputSchema/properties/card"]),
        ("my-card", {"name": "a__b"}, ["/name"]),
        ("my-", {}, ["/name"]),
        ("canvas-spawn", {"name": "card"}, ["/name"]),
        ("my-card", {"title": "a\nb", "description": "a\nb"}, ["/title"]),
    ],
)
def test_a_tool_that_agents_could_not_use_is_found(package: str, fields: dict[str, Any], paths: list[str]) -> None:
    result = parse_manifest(minimal(name=package, tools=[tool(**fields)]))
    assert found(result) == [(f"/tools/0{path}", "semantic") for path in paths]


def test_a_tool_name_is_used_once() -> None:
    assert found(parse_manifest(minimal(tools=[tool(), tool()]))) == [("/tools/1/name", "semantic")]


def test_agents_see_a_tool_under_package_and_name_cut_to_64_characters() -> None:
    assert tool_full_name("decision-log", "record") == "decision_log_record"
    assert tool_full_name("a" * 48, "b" * 40) == "a" * 48 + "_" + "b" * 15


def test_no_package_can_be_named_so_that_its_tools_replace_a_built_in_one() -> None:
    for name in BUILTIN_TOOLS:
        parts = name.split("_")
        for cut in range(1, len(parts)):
            package, rest = "-".join(parts[:cut]), "_".join(parts[cut:])
            assert package in RESERVED_NAMES or not parse_manifest(minimal(name=package, tools=[tool(name=rest)])).ok


def test_a_python_card_names_its_program_in_place_of_a_page() -> None:
    result = parse_python_manifest(minimal(python="src/card.py/"))
    assert result.manifest is not None
    assert result.manifest.get("python") == "src/card.py"
    assert "entry" not in result.manifest


@pytest.mark.parametrize(
    ("fields", "issues"),
    [
        ({}, [("/python", "schema")]),
        ({"python": "card.py", "entry": "index.html"}, [("/entry", "schema")]),
        ({"python": "../card.py"}, [("/python", "semantic")]),
        ({"python": "card.sh"}, [("/python", "semantic")]),
    ],
)
def test_a_python_card_needs_a_python_file_of_its_package(
    fields: dict[str, Any], issues: list[tuple[str, str]]
) -> None:
    assert found(parse_python_manifest(minimal(**fields))) == issues


def test_a_card_with_a_page_has_no_python_program() -> None:
    assert found(parse_manifest(minimal(python="card.py"))) == [("/python", "schema")]
