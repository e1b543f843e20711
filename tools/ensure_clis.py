"""Install the agents' own programs that `make test-agents` runs, at pinned versions, and say which cannot be had.

They go to CARDLOOM_AGENT_CACHE (default: the user's cache folder), one folder a version, and stay there from run to
run. Scripts of the packages are not run: they would only copy the program that is called directly here. A package
manager may leave out the part for this platform without a word, so each program's file is looked for (decision 33).
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import platformdirs

INSTALL_TIMEOUT_S = 300
MACHINES = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}
RUST_TARGETS = {
    "linux-x64": "x86_64-unknown-linux-musl",
    "linux-arm64": "aarch64-unknown-linux-musl",
    "darwin-x64": "x86_64-apple-darwin",
    "darwin-arm64": "aarch64-apple-darwin",
}
PLATFORM = f"{sys.platform}-{MACHINES.get(platform.machine(), platform.machine())}"


@dataclass(frozen=True)
class Program:
    """One program of npm. `file` is its path below node_modules; `needs_node` runs it with NODE."""

    id: str
    name: str
    package: str
    version: str
    file: str
    in_ci: bool = False
    needs_node: bool = False

    @property
    def folder(self) -> Path:
        return cache_folder() / f"{self.id}-{self.version}"

    @property
    def path(self) -> Path:
        return self.folder / "node_modules" / self.file

    @property
    def command(self) -> list[str]:
        """What starts it, once it is installed."""
        return [str(NODE.path), str(self.path)] if self.needs_node else [str(self.path)]


# Ids are those of the harnesses (decision 28d); `name` is what a person types. Codex comes with a wrapper that only
# finds the program for the platform, so that program is called here.
NODE = Program("node", "node", f"node-{PLATFORM}", "22.23.5", f"node-{PLATFORM}/bin/node")
PROGRAMS = (
    Program(
        "claude-code",
        "claude",
        "@anthropic-ai/claude-code",
        "2.1.332",
        f"@anthropic-ai/claude-code-{PLATFORM}/claude",
        in_ci=True,
    ),
    Program(
        "codex-cli",
        "codex",
        "@openai/codex",
        "0.171.0",
        f"@openai/codex-{PLATFORM}/vendor/{RUST_TARGETS.get(PLATFORM, PLATFORM)}/bin/codex",
        in_ci=True,
    ),
    Program("opencode", "opencode", "opencode-ai", "1.18.33", f"opencode-{PLATFORM}/bin/opencode", in_ci=True),
    Program("kilo-code", "kilo", "@kilocode/cli", "7.7.7", f"@kilocode/cli-{PLATFORM}/bin/kilo"),
    Program(
        "qwen-code", "qwen", "@qwen-code/qwen-code", "0.24.4", "@qwen-code/qwen-code/cli-entry.js", needs_node=True
    ),
    Program(
        "gemini-cli", "gemini", "@google/gemini-cli", "0.61.0", "@google/gemini-cli/bundle/gemini.js", needs_node=True
    ),
    Program(
        "pi",
        "pi",
        "@earendil-works/pi-coding-agent",
        "1.6.0",
        "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
        needs_node=True,
    ),
)


def cache_folder() -> Path:
    """Where the programs are kept."""
    named = os.environ.get("CARDLOOM_AGENT_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("cardloom")) / "agents"


def missing_reason(program: Program) -> str | None:
    """Why a program cannot be run now; None when it can."""
    needed = [NODE, program] if program.needs_node else [program]
    return next((f"{one.package}@{one.version} is not installed" for one in needed if not one.path.is_file()), None)


def install(program: Program) -> str | None:
    """Install one program unless it is there; the reason when it cannot be had. Nothing half-made stays."""
    if program.path.is_file():
        return None
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_folder(), prefix=".installing-") as made:
        fresh = Path(made) / program.folder.name
        fresh.mkdir()
        try:
            npm = subprocess.run(
                npm_command(program, fresh), capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"npm: {error}"
        if npm.returncode:
            return next(
                (line for line in npm.stderr.splitlines() if "error" in line), f"npm ended with {npm.returncode}"
            )
        if not (fresh / "node_modules" / program.file).is_file():
            return f"npm brought no {program.file} for {PLATFORM}"
        shutil.rmtree(program.folder, ignore_errors=True)
        fresh.rename(program.folder)
    return None


def npm_command(program: Program, folder: Path) -> list[str]:
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    wanted = f"{program.package}@{program.version}"
    return ["npm", "install", "--ignore-scripts", *quiet, "--prefix", str(folder), wanted]


def ensure(programs: Iterable[Program]) -> dict[str, str]:
    """Install what is asked for, each beside the other; the reason by id for what cannot be had."""
    wanted = list(programs)
    if any(program.needs_node for program in wanted):
        wanted.append(NODE)
    with ThreadPoolExecutor(max_workers=3) as pool:
        reasons = zip(wanted, pool.map(install, wanted), strict=True)
        return {program.id: reason for program, reason in reasons if reason}


def main() -> None:
    """Say one line a program. What cannot be had is no failure: its tests are skipped with the same reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="those too that do not run in CI")
    everything = parser.parse_args().all
    wanted = [program for program in PROGRAMS if everything or program.in_ci]
    reasons = ensure(wanted)
    for one in wanted:
        reason = reasons.get(one.id) or (reasons.get(NODE.id) if one.needs_node else None)
        print(f"{one.package}@{one.version}: {f'cannot be had: {reason}' if reason else one.folder}")


if __name__ == "__main__":
    main()
