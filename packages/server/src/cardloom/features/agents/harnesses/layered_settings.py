"""The launch of Gemini CLI and its fork Qwen Code: a system settings file of our own, laid over the person's.

Lists of hooks are joined across layers, so that theirs run too. The system file that ours stands in for is read into
it. Spec: harnesses, Qwen Code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .hooking import MCP_NAME, hook_groups, mcp_headers, post_file
from .opencode import uncommented
from .shape import Launch, LaunchSpec, LayerFile

SETTINGS_FILE: Final = "settings.json"
HOOK_TIMEOUT_MS: Final = 10_000


@dataclass(frozen=True, slots=True)
class SettingsFamily:
    """What differs between the two: variables, the system's folder, events."""

    settings_variable: str
    defaults_variable: str
    system_folder: str
    events: Sequence[str]


def system_settings(environment: Mapping[str, str], family: SettingsFamily) -> str:
    """The system settings file that ours stands in for."""
    return environment.get(family.settings_variable) or f"{family.system_folder}/settings.json"


def launch_with(spec: LaunchSpec, family: SettingsFamily) -> Launch:
    settings = _settings(spec, family)
    environment = {family.settings_variable: f"{spec.layer}/{SETTINGS_FILE}"}
    if family.defaults_variable not in spec.environment:
        environment[family.defaults_variable] = f"{family.system_folder}/system-defaults.json"
    argv = [spec.program]
    if spec.session_id:
        argv += ["--resume", spec.session_id]
    if spec.model:
        argv += ["--model", spec.model]
    if spec.dangerous:
        argv += ["--approval-mode", "yolo"]
    if spec.prompt:
        argv.append(f"--prompt-interactive={spec.prompt}")
    files = (post_file(spec), LayerFile(SETTINGS_FILE, json.dumps(settings)))
    return Launch(
        tuple(argv), environment, files=files, session_id=spec.session_id, prompt_given=spec.prompt is not None
    )


def _settings(spec: LaunchSpec, family: SettingsFamily) -> dict[str, Any]:
    settings = uncommented(spec.layers_below.get(system_settings(spec.environment, family), ""))
    theirs = settings.get("hooks")
    hooks: dict[str, Any] = dict(theirs) if isinstance(theirs, dict) else {}
    for event, groups in hook_groups(spec, family.events, HOOK_TIMEOUT_MS).items():
        earlier = hooks.get(event)
        hooks[event] = [*(earlier if isinstance(earlier, list) else ()), *groups]
    settings["hooks"] = hooks
    if spec.mcp is not None:
        servers = settings.get("mcpServers")
        server = {"httpUrl": spec.mcp.url, "headers": mcp_headers(spec.mcp)}
        settings["mcpServers"] = {**(servers if isinstance(servers, dict) else {}), MCP_NAME: server}
    return settings
