"""What a manifest of the right shape may still get wrong: the second stage of reading one.

Every fault is collected, each at its place in the file. Spec: manifest.
"""

from collections.abc import Iterable, Mapping
from typing import cast

from ..frames import PROTOCOL
from ..jstext import JsonValue
from ..paths import normalize_package_path
from ..permissions import Permission, parse_list
from ..settings import SettingDefinition, is_color, is_number, is_option, range_fault
from ..texts import LocalizedText
from .findings import Findings
from .model import Author, CardSizes, PortDefinition, ToolDefinition
from .names import BUILTIN_TOOLS, RESERVED_NAMES, tool_full_name
from .ports import check_ports

_ICON_SUFFIXES = (".png", ".webp")
_BUILTIN_TOOLS = frozenset(BUILTIN_TOOLS)


def check_meaning(raw: Mapping[str, JsonValue], sizes: CardSizes, findings: Findings) -> tuple[Permission, ...]:
    """Checks all but the file the card starts from; gives the merged permissions."""
    name = str(raw["name"])
    _check_identity(raw, findings)
    _check_icon(raw.get("icon"), findings)
    _check_sizes(sizes, findings)
    permissions = _check_permissions(cast(list[JsonValue], raw.get("permissions", [])), findings)
    _check_settings(cast(list[SettingDefinition], raw.get("settings", [])), findings)
    check_ports(name, cast(Mapping[str, list[PortDefinition]], raw.get("ports", {})), findings)
    _check_tools(name, cast(list[ToolDefinition], raw.get("tools", [])), findings)
    return permissions


def _check_identity(raw: Mapping[str, JsonValue], findings: Findings) -> None:
    if raw["name"] in RESERVED_NAMES:
        findings.add("/name", f"The name {raw['name']!r} is reserved.")
    protocol = cast(int, raw["protocol"])
    if protocol > PROTOCOL:
        findings.add("/protocol", f"The card needs protocol {protocol}; update Cardloom to use it.", "protocol")
    findings.check_text("/displayName", cast(LocalizedText, raw["displayName"]))
    findings.check_text("/description", cast(LocalizedText | None, raw.get("description")), multiline=True)
    author = cast(Author | None, raw.get("author"))
    findings.check_text("/author/name", author["name"] if author else None)
    findings.check_text("/license", cast(str | None, raw.get("license")))
    for index, keyword in enumerate(cast(list[str], raw.get("keywords", []))):
        findings.check_text(f"/keywords/{index}", keyword)


def _check_icon(icon: JsonValue, findings: Findings) -> None:
    if icon is None:
        return
    normal = normalize_package_path(icon)
    if normal is None or not normal.lower().endswith(_ICON_SUFFIXES):
        findings.add("/icon", f"{icon!r} is no path of a .png or .webp file in the package.")


def _check_sizes(sizes: CardSizes, findings: Findings) -> None:
    least, usual, most = sizes["minSize"], sizes["defaultSize"], sizes["maxSize"]
    if not (least["w"] <= usual["w"] <= most["w"] and least["h"] <= usual["h"] <= most["h"]):
        findings.add("/card", "The default size must lie between the least and the greatest size.")


def _check_permissions(entries: list[JsonValue], findings: Findings) -> tuple[Permission, ...]:
    permissions, issues = parse_list(entries)
    for issue in issues:
        findings.add(f"/permissions/{issue.index}", issue.message)
    for index, entry in enumerate(entries):
        if isinstance(entry, dict):
            reason = cast(LocalizedText | None, entry.get("reason"))
            findings.check_text(f"/permissions/{index}/reason", reason, multiline=True)
    return permissions


def _check_settings(settings: Iterable[SettingDefinition], findings: Findings) -> None:
    seen: set[str] = set()
    for index, setting in enumerate(settings):
        path = f"/settings/{index}"
        if setting["key"] in seen:
            findings.add(f"{path}/key", f"The key {setting['key']!r} is taken by an earlier setting.")
        seen.add(setting["key"])
        _check_setting_texts(path, setting, findings)
        _check_setting_shape(path, setting, findings)
        if "default" in setting:
            for fault in _default_faults(setting):
                findings.add(f"{path}/default", fault)


def _check_setting_texts(path: str, setting: SettingDefinition, findings: Findings) -> None:
    findings.check_text(f"{path}/label", setting["label"])
    findings.check_text(f"{path}/description", setting.get("description"), multiline=True)
    findings.check_text(f"{path}/placeholder", setting.get("placeholder"))
    for number, option in enumerate(setting.get("options", ())):
        findings.check_text(f"{path}/options/{number}/label", option["label"])


def _check_setting_shape(path: str, setting: SettingDefinition, findings: Findings) -> None:
    if setting["type"] == "select" and "options" not in setting:
        findings.add(f"{path}/options", "A select setting needs options.")
    if setting["type"] != "select" and "options" in setting:
        findings.add(f"{path}/options", "Only a select setting has options.")
    if "min" in setting and "max" in setting and setting["min"] > setting["max"]:
        findings.add(path, "The least value is above the greatest.")


def _default_faults(setting: SettingDefinition) -> list[str]:
    default, kind = setting["default"], setting["type"]
    faults: list[str] = []
    if kind == "secret":
        faults.append("A secret has no default.")
    if kind == "number":
        if not is_number(default):
            faults.append("The default must be a number.")
        else:
            fault = range_fault(setting, cast(float, default))
            faults += [f"Default: {fault}"] if fault else []
    elif kind == "boolean":
        faults += [] if isinstance(default, bool) else ["The default must be true or false."]
    elif not isinstance(default, str):
        faults.append("The default must be a text.")
    if kind == "select" and not is_option(setting, default):
        faults.append("The default must be one of the options.")
    if kind == "color" and isinstance(default, str) and not is_color(default):
        faults.append("The default must be a colour written as #rrggbb.")
    return faults


def _check_tools(package: str, tools: Iterable[ToolDefinition], findings: Findings) -> None:
    seen: set[str] = set()
    for index, tool in enumerate(tools):
        path = f"/tools/{index}"
        if tool["name"] in seen:
            findings.add(f"{path}/name", f"The name {tool['name']!r} is taken by an earlier tool.")
        seen.add(tool["name"])
        _check_full_name(f"{path}/name", tool_full_name(package, tool["name"]), findings)
        findings.check_text(f"{path}/title", tool.get("title"))
        findings.check_text(f"{path}/description", tool["description"], multiline=True)
        _check_input_schema(f"{path}/inputSchema", tool["inputSchema"], findings)


def _check_full_name(path: str, full_name: str, findings: Findings) -> None:
    if full_name in _BUILTIN_TOOLS:
        findings.add(path, f"Agents would see the tool as {full_name!r}, which is a built-in tool.")
    if "__" in full_name:
        findings.add(path, f"Agents would see the tool as {full_name!r}; two underscores in a row are reserved.")


def _check_input_schema(path: str, schema: dict[str, JsonValue], findings: Findings) -> None:
    findings.check_schema(path, schema)
    if schema.get("type") != "object":
        findings.add(f"{path}/type", "The type of a tool's input must be 'object'.")
    properties = schema.get("properties")
    if isinstance(properties, dict) and "card" in properties:
        findings.add(f"{path}/properties/card", "The name 'card' is reserved for choosing among cards.")
