"""A person's home in which an agent's program talks to the scripted model and to nobody else.

What is written here is the person's own configuration: the way to the model, and the answers to what a program asks
when it starts for the first time. Cardloom adds nothing to these files. Spec: real command-line programs, section 4.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ensure_clis import Program

MODEL = "scripted-1"
CLAUDE_MODEL = "claude-sonnet-4-5"
GEMINI_MODEL = "gemini-2.5-pro"
PROJECT = "project"
GIT_AUTHOR = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
# Room and prices are what a program wants to know of a model; nothing here depends on the numbers.
ROOM = {"context": 128_000, "output": 8_192}
PRICES = {"input": 2, "output": 10, "cache_read": 0.2, "cache_write": 2.5}
SWITCHED_OFF = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")


@dataclass(frozen=True)
class Home:
    """One person's home. `environment` is all that their programs get to see."""

    folder: Path
    project: Path
    environment: Mapping[str, str]
    configured: Sequence[Path]

    def configuration(self) -> dict[Path, str]:
        """What the person's own files hold now, those that were there from the beginning. Programs change them too."""
        return {path: path.read_text() for path in self.configured}


def make_home(folder: Path, program: Program, model_url: str) -> Home:
    """A new home with a project in git (some programs know no project without) and the program on PATH."""
    project = folder / PROJECT
    project.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", project], check=True)
    subprocess.run(["git", *GIT_AUTHOR, "-C", project, "commit", "-q", "--allow-empty", "-m", "start"], check=True)
    (folder / ".bashrc").write_text("PS1='$ '\n")
    _put_on_path(folder / "bin", program)
    own = CONFIGURE[program.id](folder, project, model_url)
    configured = [
        path for path in folder.rglob("*") if path.is_file() and not {project, folder / "bin"} & {*path.parents}
    ]
    environment = {
        "HOME": str(folder),
        "USER": "user",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "PATH": os.pathsep.join([str(folder / "bin"), "/usr/local/bin", "/usr/bin", "/bin"]),
        **own,
    }
    return Home(folder, project, environment, configured)


def _put_on_path(bin: Path, program: Program) -> None:
    bin.mkdir()
    script = bin / program.name
    script.write_text(f'#!/bin/sh\nexec {shlex.join(program.command)} "$@"\n')
    script.chmod(0o755)


def _write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1))


def _claude(home: Path, project: Path, model_url: str) -> dict[str, str]:
    _write_json(
        home / ".claude.json",
        {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": "2.1.332",
            "theme": "dark",
            "projects": {str(project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        },
    )
    return {
        "ANTHROPIC_BASE_URL": model_url,
        "ANTHROPIC_AUTH_TOKEN": "none",
        "ANTHROPIC_MODEL": CLAUDE_MODEL,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_INSTALLATION_CHECKS": "1",
        "DISABLE_TELEMETRY": "1",
    }


CODEX_CONFIG = """\
model = "{model}"
model_provider = "scripted"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[model_providers.scripted]
name = "Scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false

[feedback]
enabled = false

[otel]
exporter = "none"

[projects."{project}"]
trust_level = "trusted"
"""


def _codex(home: Path, project: Path, model_url: str) -> dict[str, str]:
    config = home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text(CODEX_CONFIG.format(model=MODEL, url=model_url, project=project))
    return {"SCRIPTED_KEY": "none"}


def _opencode(home: Path, project: Path, model_url: str) -> dict[str, str]:
    return _as_opencode(home / ".config" / "opencode" / "opencode.json", model_url, "OPENCODE_")


def _kilo(home: Path, project: Path, model_url: str) -> dict[str, str]:
    """A fork, whose variables have other names; some of the old ones still count."""
    made = _as_opencode(home / ".config" / "kilo" / "kilo.json", model_url, "KILO_")
    return {
        **made,
        **_as_opencode(home / ".config" / "kilo" / "kilo.json", model_url, "OPENCODE_"),
        "KILO_TELEMETRY_LEVEL": "off",
    }


def _as_opencode(file: Path, model_url: str, prefix: str) -> dict[str, str]:
    """At its start it installs a package and waits for it: without a network only the offline switch ends that.

    On a busy machine it asks whether to go on without snapshots, before the first answer.
    """
    models = {MODEL: {"name": "Scripted", "limit": ROOM, "cost": PRICES, "reasoning": True}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": f"{model_url}/v1", "apiKey": "none"},
        "models": models,
    }
    _write_json(
        file,
        {
            "autoupdate": False,
            "share": "disabled",
            "snapshot": False,
            "model": f"scripted/{MODEL}",
            "small_model": f"scripted/{MODEL}",
            "permission": {"bash": "ask", "edit": "ask"},
            "provider": {"scripted": provider},
        },
    )
    off = {f"{prefix}DISABLE_{what}": "1" for what in SWITCHED_OFF}
    return {**off, "npm_config_offline": "true"}


def _qwen(home: Path, project: Path, model_url: str) -> dict[str, str]:
    _write_json(
        home / ".qwen" / "settings.json",
        {
            "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "disableAutoUpdate": True, "disableUpdateNag": True},
            "model": {"name": MODEL},
            "ui": {"theme": "Qwen Dark", "enableFollowupSuggestions": False},
            "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
            "tools": {
                "approvalMode": "default",
                "toolSearch": {"enabled": False},
                "visible": ["run_shell_command", "write_file"],
            },
        },
    )
    return {"OPENAI_BASE_URL": f"{model_url}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": MODEL}


def _gemini(home: Path, project: Path, model_url: str) -> dict[str, str]:
    _write_json(
        home / ".gemini" / "settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "model": {"name": GEMINI_MODEL},
        },
    )
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model_url, "GEMINI_CLI_NO_RELAUNCH": "true"}


def _pi(home: Path, project: Path, model_url: str) -> dict[str, str]:
    folder = home / ".pi" / "agent"
    model = {
        "id": MODEL,
        "name": "Scripted",
        "reasoning": True,
        "input": ["text"],
        "contextWindow": ROOM["context"],
        "maxTokens": ROOM["output"],
        "cost": {"input": 2, "output": 10, "cacheRead": 0.2, "cacheWrite": 2.5},
    }
    provider = {"baseUrl": f"{model_url}/v1", "api": "openai-completions", "apiKey": "none", "models": [model]}
    _write_json(folder / "models.json", {"providers": {"scripted": provider}})
    _write_json(
        folder / "settings.json",
        {
            "defaultProvider": "scripted",
            "defaultModel": MODEL,
            "enableInstallTelemetry": False,
            "quietStartup": True,
            "lastChangelogVersion": "1.6.0",
        },
    )
    return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}


CONFIGURE: Mapping[str, Callable[[Path, Path, str], dict[str, str]]] = {
    "claude-code": _claude,
    "codex-cli": _codex,
    "opencode": _opencode,
    "kilo-code": _kilo,
    "qwen-code": _qwen,
    "gemini-cli": _gemini,
    "pi": _pi,
}
