"""How commands end: a result as text or JSON, a refusal in words on standard error, an exit code."""

from __future__ import annotations

import asyncio
import inspect
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_NO_SERVER: Final = 3
EXIT_INTERRUPTED: Final = 130

_OBEYED: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BREAKS: Final = re.compile("[\t\n\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found out: `data` for programs, `text` for people."""

    data: Any
    text: str
    exit_code: int = EXIT_OK


class UsageError(Exception):
    """The arguments make no sense together; the message says why."""


def finish(work: Callable[[], Any], *, as_json: bool) -> int:
    """Do a command's work, print what came of it, and give the exit code."""
    try:
        found = work()
        answer = asyncio.run(found) if inspect.iscoroutine(found) else found
    except CallError as error:
        _print_error(error, as_json=as_json)
        return EXIT_NO_SERVER if error.code is ErrorCode.UNAVAILABLE else EXIT_FAILED
    except UsageError as error:
        _print_error(CallError(ErrorCode.INVALID_PARAMS, str(error)), as_json=as_json)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    if not isinstance(answer, Answer):
        raise TypeError(f"a command gave {type(answer).__name__}")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # half a character in a title spoils no list
    if as_json:
        print(json.dumps(answer.data, ensure_ascii=False, indent=2))
    elif answer.text:
        print(visible(answer.text))
    return answer.exit_code


def say(text: str) -> None:
    """Tell a person something in passing, where no output is spoilt by it."""
    print(visible(text), file=sys.stderr, flush=True)


def visible(text: str) -> str:
    """A text that neither moves the cursor nor colours a terminal nor turns its own direction.

    Titles, logs and replies come from cards and agents. What a terminal would obey is written as JSON writes it, so
    that JSON stays what it is.
    """
    return _OBEYED.sub(_written, text)


def one_line(text: str) -> str:
    """A visible text whose tabs and line ends are written too, so that a name cannot look like another line."""
    return _BREAKS.sub(_written, visible(text))


def _written(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns as wide as they need to be; the last one is not padded."""
    lines = [[one_line(cell) for cell in line] for line in (heads, *rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _print_error(error: CallError, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"error": error.to_wire()}, ensure_ascii=False, indent=2))
        return
    say(f"cardloom: {error.message}")
    issues = [issue for issue in error.data if isinstance(issue, dict)] if isinstance(error.data, list) else []
    for issue in issues:
        told = len(issues) == 1 and str(issue.get("message")) in error.message
        if issue.get("message") and not told:
            say(f"  {issue.get('path') or '/'}: {issue['message']}")
