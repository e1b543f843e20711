"""Exit 1 when this environment holds a distribution beyond the named ones and what those need themselves."""

from __future__ import annotations

import re
import sys
from importlib.metadata import distributions, requires

TOOLS = {"pip", "setuptools", "wheel"}
CONDITIONS = ("extra ==", "sys_platform", "python_version")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(names: list[str]) -> set[str]:
    """The named distributions and, for pytest, its own requirements."""
    found: set[str] = set()
    waiting = [canonical(name) for name in names]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if name == "cardloom-protocol":
            continue
        for requirement in requires(name) or ():
            if not any(condition in requirement for condition in CONDITIONS):
                waiting.append(canonical(re.split(r"[^A-Za-z0-9_.-]", requirement, maxsplit=1)[0]))
    return found


def main() -> int:
    allowed = needed(sys.argv[1:]) | TOOLS
    extra = sorted({canonical(found.metadata["Name"]) for found in distributions()} - allowed)
    if extra:
        print(f"this environment also holds: {', '.join(extra)}")
    return 1 if extra else 0


if __name__ == "__main__":
    sys.exit(main())
