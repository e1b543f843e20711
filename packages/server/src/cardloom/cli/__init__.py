"""The command line. `main` is what `cardloom` runs; whatever takes time to import is imported by the command itself."""

from __future__ import annotations


def main() -> None:
    """Run the command that the arguments name, and end the program with its exit code."""
    from .commands import app
    from .output import watched_output

    with watched_output():
        app()
