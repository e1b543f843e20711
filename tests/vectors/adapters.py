"""One function a vector file: takes the recorded input, calls the public API, shapes the answer like the record.

Nothing is decided here. Imports stand inside the functions so that a file can be run without the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Adapter = Callable[[Any], Any]


def schema_defs(case: Any) -> Any:
    from cardloom_protocol.schema import check_definition

    names = {"allowPattern": "allow_pattern", "maxNodes": "max_nodes", "maxDepth": "max_depth"}
    options = {names[key]: value for key, value in case.items() if key in names}
    return [{"path": issue.path, "keyword": issue.keyword} for issue in check_definition(case["schema"], **options)]


def schema_values(case: Any) -> Any:
    from cardloom_protocol.schema import compile_schema

    names = {"maxIssues": "max_issues", "budget": "budget", "maxDepth": "max_depth"}
    options = {names[key]: value for key, value in case.items() if key in names}
    issues = compile_schema(case["schema"]).check(case["value"], **options)
    return [{"path": issue.path, "keyword": issue.keyword} for issue in issues]


def headers(case: Any) -> Any:
    from cardloom_protocol.hosts import header_allowed

    return header_allowed(case["name"], case["value"])


def hosts_match(case: Any) -> Any:
    from cardloom_protocol.hosts import matches

    return matches(**case)


def hosts_parse(case: Any) -> Any:
    from cardloom_protocol.hosts import parse_host_pattern

    pattern = parse_host_pattern(case["pattern"])
    if pattern is None:
        return {"ok": False}
    value: dict[str, Any] = {"wildcard": pattern.wildcard, "host": pattern.host}
    if pattern.port is not None:
        value["port"] = pattern.port
    return {"ok": True, "value": value, "text": str(pattern)}


def local_hosts(case: Any) -> Any:
    from cardloom_protocol.hosts import is_local_host

    return is_local_host(case["host"])


def localized(case: Any) -> Any:
    from cardloom_protocol import texts

    text = case["text"] if isinstance(case["text"], str | dict) else None
    return texts.localized(text, case["language"])


def manifests(case: Any) -> Any:
    from cardloom_protocol.manifest import parse_manifest

    result = parse_manifest(case["manifest"])
    if result.ok:
        return {"ok": True, "manifest": result.manifest, "warnings": [warning.path for warning in result.warnings]}
    issues = sorted((issue.path, issue.code) for issue in result.issues)
    return {"ok": False, "issues": [{"path": path, "code": code} for path, code in issues]}


def package_paths(case: Any) -> Any:
    from cardloom_protocol.paths import normalize_package_path

    path = normalize_package_path(case["path"])
    return {"ok": False} if path is None else {"ok": True, "value": path}


def permission_closure(case: Any) -> Any:
    from cardloom_protocol.permissions import closure

    return sorted(closure(case["ids"]))


def permission_view(case: Any) -> Any:
    from cardloom_protocol.permissions import Permission, view

    return view([Permission.from_wire(one) for one in case["declared"]], case["granted"], case["language"])


def permissions_parse(case: Any) -> Any:
    from cardloom_protocol.permissions import parse_list

    permissions, issues = parse_list(case["list"])
    return {"permissions": [one.to_wire() for one in permissions], "issueIndexes": [one.index for one in issues]}


def protected_paths(case: Any) -> Any:
    from cardloom_protocol.paths import is_protected

    return is_protected(case["path"])


def secrets(case: Any) -> Any:
    from cardloom_protocol.hosts import secret_names

    return secret_names(case["text"])


def settings_defaults(case: Any) -> Any:
    from cardloom_protocol.settings import defaults

    return defaults(case["settings"])


def settings_values(case: Any) -> Any:
    from cardloom_protocol.settings import check_values

    return [issue.key for issue in check_values(case["settings"], case["values"])]


def tool_names(case: Any) -> Any:
    from cardloom_protocol.manifest import tool_full_name

    return tool_full_name(case["package"], case["tool"])


def translator(case: Any) -> Any:
    from cardloom_protocol.texts import Translator

    subject = Translator(case["messages"], case.get("language", "en"), case.get("locale"))
    notices: list[str] = []
    subject.on_change(lambda: notices.append(subject.language))

    def answer(call: dict[str, Any]) -> Any:
        match call:
            case {"t": arguments}:
                return subject.translate(*arguments)
            case {"setLanguage": arguments}:
                before = len(notices)
                subject.set_language(*arguments)
                return len(notices) - before
            case {"get": name}:
                return getattr(subject, name)
        raise ValueError(call)

    return [answer(call) for call in case["calls"]]


def workspace_paths(case: Any) -> Any:
    from cardloom_protocol.errors import CallError
    from cardloom_protocol.paths import normalize_workspace_path

    try:
        return {"ok": True, "value": normalize_workspace_path(case["path"])}
    except CallError:
        return {"ok": False}


def coercion(case: Any) -> Any:
    from cardloom_protocol.ports import coerce, coercion, compatible

    pair = (case["from"], case["to"])
    if "value" in case:
        return {"value": coerce(*pair, case["value"])}
    return {"kind": coercion(*pair), "compatible": compatible(*pair)}


def connect_message(case: Any) -> Any:
    from cardloom_protocol.frames import is_connect_message

    return is_connect_message(case["data"])


def envelopes(case: Any) -> Any:
    from cardloom_protocol.frames import ABSENT, Malformed, parse_request

    raw = case["raw"]
    if isinstance(raw, dict) and getattr(raw.get("params"), "kind", None) == "undefined":
        raw = {key: value for key, value in raw.items() if key != "params"}  # JSON has no undefined members
    parsed = parse_request(raw, max_units=case.get("maxSize"))
    if isinstance(parsed, Malformed):
        refusal: dict[str, Any] = {"ok": False, "id": parsed.id, "code": parsed.error.code.value}
        if isinstance(parsed.error.data, dict):
            refusal["data"] = {key: parsed.error.data[key] for key in ("path", "keyword")}
        return refusal
    params = "absent" if parsed.params is ABSENT else "same"
    return {"ok": True, "id": parsed.id, "method": parsed.method, "params": params, "fields": list(raw)}


def incoming_messages(case: Any) -> Any:
    from cardloom_protocol.frames import Event, parse_incoming

    incoming = parse_incoming(case["data"])
    return None if incoming is None else "evt" if isinstance(incoming, Event) else "res"


def method_params(case: Any) -> Any:
    from cardloom_protocol.hosting import params_issues
    from cardloom_protocol.methods_card import CARD_METHODS

    issues = params_issues(CARD_METHODS[case["method"]], case.get("params", {}))
    return [{"path": issue.path, "keyword": issue.keyword} for issue in issues]


def method_permission(case: Any) -> Any:
    from cardloom_protocol.methods_card import CARD_METHODS

    return CARD_METHODS[case["method"]].allowed(frozenset(case["granted"]))


def permission_for_peer(case: Any) -> Any:
    from cardloom_protocol.ports import PortInfo, permission_for_peer

    inputs = [PortInfo.from_wire(port) for port in case["peer"]["inputs"]]
    options = case.get("options", {})
    return permission_for_peer(inputs, input_id=options.get("input"), output_type=options.get("outputType"))


def pick_input(case: Any) -> Any:
    from cardloom_protocol.ports import PortInfo, pick_input

    inputs = [PortInfo.from_wire({"mode": None, **port}) for port in case["inputs"]]
    picked = pick_input(case["type"], inputs)
    return None if picked is None else picked.id


# Keep sorted by file name.
ADAPTERS: dict[str, Adapter] = {
    "coercion": coercion,
    "connect_message": connect_message,
    "envelopes": envelopes,
    "headers": headers,
    "hosts_match": hosts_match,
    "hosts_parse": hosts_parse,
    "incoming_messages": incoming_messages,
    "local_hosts": local_hosts,
    "localized": localized,
    "manifests": manifests,
    "method_params": method_params,
    "method_permission": method_permission,
    "package_paths": package_paths,
    "permission_closure": permission_closure,
    "permission_for_peer": permission_for_peer,
    "permission_view": permission_view,
    "permissions_parse": permissions_parse,
    "pick_input": pick_input,
    "protected_paths": protected_paths,
    "schema_defs": schema_defs,
    "schema_values": schema_values,
    "secrets": secrets,
    "settings_defaults": settings_defaults,
    "settings_values": settings_values,
    "tool_names": tool_names,
    "translator": translator,
    "workspace_paths": workspace_paths,
}
