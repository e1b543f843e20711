"""The machine that the numbers come from, in words."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import psutil


def describe() -> list[str]:
    """What somebody needs to know to compare numbers, one line each."""
    memory_gib = psutil.virtual_memory().total / (1 << 30)
    cores = os.cpu_count() or 1
    return [
        f"{cores} cores ({_processor()}), {memory_gib:.0f} GiB of memory",
        f"{platform.system()} {platform.release()}, {platform.machine()}",
        f"{platform.python_implementation()} {platform.python_version()} ({sys.platform})",
    ]


def load() -> float:
    """How many tasks wanted a core in the last minute, our own included."""
    return os.getloadavg()[0]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
