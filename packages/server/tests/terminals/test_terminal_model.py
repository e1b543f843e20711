"""What a shell's marks tell, what a command printed, and the keys for commands."""

from __future__ import annotations

import pytest

from cardloom.features.terminals.model import (
    UNFINISHED_LINE,
    Capture,
    Ended,
    Fact,
    Phase,
    Ready,
    Started,
    Tracker,
    keys_for_command,
    keys_for_text,
    shown_status,
    without_answers,
)
from cardloom.host.marks import MarkScanner
from cardloom_protocol.errors import CallError, ErrorCode

NONCE = "5ec7e7"


def _m(body: str) -> str:
    return f"\x1b]633;{body};{NONCE}\x07"


def _facts(tracker: Tracker, text: str) -> list[Fact]:
    return [fact for piece in MarkScanner(NONCE).feed(text.encode()) for fact in tracker.take(piece)]


def test_a_shell_is_ready_at_its_first_prompt_and_idle() -> None:
    tracker = Tracker()
    assert not tracker.integrated
    assert _facts(tracker, f"motd\r\n{_m('D;0')}{_m('A')}$ {_m('B')}") == [Ready()]
    assert tracker.phase is Phase.PROMPT
    assert tracker.integrated
    assert shown_status(tracker.phase, worked=False) == "idle"


def test_a_command_starts_and_ends_with_its_exit_code() -> None:
    tracker = Tracker()
    _facts(tracker, _m("A") + _m("B"))
    assert _facts(tracker, f"make\r\n{_m('E;make')}{_m('C')}") == [Started("make")]
    assert shown_status(tracker.phase, worked=False) == "working"
    assert _facts(tracker, f"error\r\n{_m('D;2')}{_m('A')}$ {_m('B')}") == [Ended("make", 2), Ready()]
    assert shown_status(tracker.phase, worked=True) == "finished"


def test_the_marks_of_a_foreign_terminal_change_nothing() -> None:
    tracker = Tracker()
    _facts(tracker, _m("A") + _m("B") + _m("E;sleep 9") + _m("C"))
    assert _facts(tracker, "\x1b]633;D;0;other\x07\x1b]133;D;0\x07\x1b]133;A\x07") == []
    assert tracker.phase is Phase.RUNNING


def test_an_empty_line_or_an_interrupt_at_the_prompt_is_no_command() -> None:
    tracker = Tracker()
    _facts(tracker, _m("A") + _m("B"))
    assert _facts(tracker, f"^C\r\n{_m('D;130')}{_m('A')}$ {_m('B')}") == []


def test_a_command_kept_out_of_the_history_is_not_told() -> None:
    tracker = Tracker()
    _facts(tracker, _m("A") + "\x1b[?2004h$ " + _m("B"))
    assert _facts(tracker, f" export KEY=1\r\n{_m('E;ls')}{_m('C')}") == [Started("")]


def test_pasted_lines_run_one_after_another_are_one_command() -> None:
    tracker = Tracker()
    _facts(tracker, _m("A") + _m("B"))
    assert _facts(tracker, _m("E;a") + _m("C") + _m("E;b") + _m("C")) == [Started("a")]
    assert _facts(tracker, _m("D;1")) == [Ended("a\nb", 1)]


def test_a_prompt_without_an_end_mark_ends_the_command_without_a_code() -> None:
    tracker = Tracker()
    _facts(tracker, _m("A") + _m("B") + _m("E;x") + _m("C"))
    assert _facts(tracker, _m("A")) == [Ended("x", None)]


def test_what_is_typed_and_not_sent_is_a_draft() -> None:
    tracker = Tracker()
    _facts(tracker, _m("A") + _m("B"))
    tracker.typed("\x1b[A\x1bOB\x7f")
    assert not tracker.draft
    tracker.typed("git")
    assert tracker.draft
    tracker.typed("\x15")
    assert not tracker.draft
    tracker.typed("\x1b[200~pasted\rlines\x1b[201~")
    assert tracker.draft
    tracker.typed("\r")
    assert not tracker.draft


def test_what_is_typed_ahead_of_the_prompt_is_a_draft_too() -> None:
    tracker = Tracker()
    _facts(tracker, _m("A") + _m("B") + _m("E;x") + _m("C"))
    tracker.typed("an answer\r")
    _facts(tracker, _m("D;0") + _m("A"))
    assert not tracker.draft
    tracker.typed("git")
    _facts(tracker, _m("B"))
    assert tracker.draft


def test_an_interrupt_at_the_prompt_waits_for_the_next_one() -> None:
    tracker = Tracker()
    _facts(tracker, _m("A") + _m("B"))
    tracker.typed("half a line\x03")
    assert tracker.phase is Phase.PREPARING
    assert not tracker.draft
    assert _facts(tracker, _m("D;130") + _m("A") + _m("B")) == [Ready()]


def test_recorded_zsh_output_is_followed() -> None:
    noise = "\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m" + " " * 79 + "\r \r"
    tracker = Tracker()
    assert _facts(
        tracker, f"{noise}{_m('D;0')}{_m('A')}\r\x1b[0m\x1b[Jvm% {_m('B')}\x1b[K\x1b[?1h\x1b=\x1b[?2004h"
    ) == [Ready()]
    told = f"t\btrue\x1b[?1l\x1b>\x1b[?2004l\r\r\n{_m('E;true')}{_m('C')}{noise}{_m('D;0')}{_m('A')}vm% {_m('B')}"
    assert _facts(tracker, told) == [Started("true"), Ended("true", 0), Ready()]


def test_recorded_powershell_output_is_followed() -> None:
    tracker = Tracker()
    assert _facts(tracker, f"{_m('A')}PS C:\\work> {_m('B')}") == [Ready()]
    told = f"\x1b[93mcmd \x1b[90m/c\x1b[0m exit 3\r\n{_m('E;cmd /c exit 3')}{_m('C')}{_m('D;3')}{_m('A')}PS> {_m('B')}"
    assert _facts(tracker, told) == [Started("cmd /c exit 3"), Ended("cmd /c exit 3", 3), Ready()]


def test_recorded_cmd_output_gives_no_exit_code() -> None:
    tracker = Tracker(marks_start=False)

    def st(body: str) -> str:
        return f"\x1b]633;{body};{NONCE}\x1b\\"

    assert _facts(tracker, f"Microsoft Windows\r\n{st('D;')}{st('A')}C:\\work>{st('B')}") == [Ready()]
    assert tracker.typed("dir\r") == [Started("")]
    assert _facts(tracker, f"dir\r\n a.txt\r\n{st('D;')}{st('A')}C:\\work>{st('B')}") == [Ended("", None), Ready()]


def test_powershell_in_powershell_an_open_quote_and_a_cleared_screen_are_one_command_each() -> None:
    tracker = Tracker()
    _facts(tracker, f"{_m('A')}PS> {_m('B')}")
    assert _facts(tracker, f"{_m('E;pwsh')}{_m('C')}PowerShell 7.4.6\r\nPS> exit 4\r\n") == [Started("pwsh")]
    assert _facts(tracker, f"{_m('D;4')}{_m('A')}PS> {_m('B')}") == [Ended("pwsh", 4), Ready()]
    assert _facts(tracker, f"echo 'open\r\n>> closed'\r\n{_m('E;echo')}{_m('C')}open\r\nclosed\r\n") == [
        Started("echo")
    ]
    assert _facts(tracker, f"{_m('D;0')}{_m('A')}PS> {_m('B')}") == [Ended("echo", 0), Ready()]
    cleared = f"{_m('E;cls')}{_m('C')}\x1b[H\x1b[2J\x1b[3J{_m('D;0')}{_m('A')}PS> {_m('B')}"
    assert _facts(tracker, cleared) == [Started("cls"), Ended("cls", 0), Ready()]


def test_a_cleared_screen_and_an_open_quote_in_cmd_end_without_a_code() -> None:
    tracker = Tracker(marks_start=False)
    prompt = f"{_m('D;')}{_m('A')}C:\\work>{_m('B')}"
    assert _facts(tracker, prompt) == [Ready()]
    for command, output in (("cls", "\x1b[2J\x1b[H"), ('echo "open', '"open\r\n')):
        assert tracker.typed(f"{command}\r") == [Started("")]
        assert _facts(tracker, f"{output}{prompt}") == [Ended("", None), Ready()]


# Capture


def _captured(*pieces: str, max_units: int = 100, skip_lines: int = 0) -> tuple[str, bool]:
    capture = Capture(max_units, skip_lines=skip_lines)
    for piece in pieces:
        capture.feed(piece.encode())
    return capture.result()


def test_output_is_kept_as_it_looks() -> None:
    assert _captured("\x1b[32mok\x1b", "[0m\r\n10%\r", "100%\r\n") == ("ok\n100%\n", False)


def test_of_long_output_the_end_is_kept() -> None:
    text, truncated = _captured(*(f"line {n}\r\n" for n in range(1000)))
    assert truncated
    assert len(text) == 100
    assert text.endswith("line 998\nline 999\n")


def test_a_cut_never_leaves_half_a_character() -> None:
    text, truncated = _captured("😀" * 60 + "\n", max_units=100)
    assert truncated
    assert text == "😀" * 49 + "\n"


def test_long_progress_on_one_line_is_short_output() -> None:
    assert _captured(*(f"\r{n:5d}%" for n in range(10_000)), "\r\n") == (" 9999%\n", False)


def test_the_echo_of_a_command_is_left_out() -> None:
    assert _captured("di", "r\r\na.txt\r\n", skip_lines=1) == ("a.txt\n", False)


def test_zshs_mark_of_an_unfinished_line_is_no_output() -> None:
    capture = Capture()
    capture.feed(b"50%\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m" + b" " * 79 + b"\r \r")
    assert capture.result(drop=UNFINISHED_LINE) == ("50%", False)


# Keys


def test_a_command_is_typed_with_enter() -> None:
    assert keys_for_command("ls -l\n", bracketed_paste=True) == "ls -l\r"


def test_several_lines_are_pasted_as_one() -> None:
    assert keys_for_command("for i in 1 2\r\ndo echo $i\ndone", bracketed_paste=True) == (
        "\x1b[200~for i in 1 2\ndo echo $i\ndone\x1b[201~\r"
    )


def test_several_lines_are_refused_where_they_would_run_apart() -> None:
    with pytest.raises(CallError) as refusal:
        keys_for_command("a\nb", bracketed_paste=False)
    assert refusal.value.code is ErrorCode.INVALID_PARAMS


def test_a_tab_does_not_complete_a_name() -> None:
    assert keys_for_command("printf 'a\tb'", bracketed_paste=True) == "\x1b[200~printf 'a\tb'\x1b[201~\r"
    assert keys_for_command("printf 'a\tb'", bracketed_paste=False) == "printf 'a\x16\tb'\r"


@pytest.mark.parametrize("command", ["", "  \n ", "\x1b\x03"])
def test_an_empty_command_is_refused(command: str) -> None:
    with pytest.raises(CallError) as refusal:
        keys_for_command(command, bracketed_paste=True)
    assert refusal.value.code is ErrorCode.INVALID_PARAMS


def test_a_command_cannot_end_its_paste_or_press_keys() -> None:
    assert keys_for_command("a\x1b[201~\rrm x\x03\ny", bracketed_paste=True) == "\x1b[200~a[201~\nrm x\ny\x1b[201~\r"


def test_typed_text_is_submitted_only_when_asked() -> None:
    assert keys_for_text("y", submit=False, bracketed_paste=True) == "y"
    assert keys_for_text("y\n", submit=True, bracketed_paste=True) == "y\r"
    assert keys_for_text("\x03", submit=False, bracketed_paste=True) == "\x03"
    assert keys_for_text("a\nb", submit=True, bracketed_paste=True) == "\x1b[200~a\nb\x1b[201~\r"
    assert keys_for_text("a\nb\n", submit=False, bracketed_paste=False) == "a\rb\r"


# Answers of viewers


@pytest.mark.parametrize(
    "answer",
    [
        "\x1b[?1;2c",
        "\x1b[>0;276;0c",
        "\x1b[0n",
        "\x1b[24;80R",
        "\x1b[1;1R",
        "\x1b[?1;1R",
        "\x1b[?2004;1$y",
        "\x1b[4;2$y",
        "\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
        "\x1b]11;rgb:0000/0000/0000\x07",
        "\x1b]4;1;rgb:cc/00/00\x1b\\",
        "\x1bP1$r0m\x1b\\",
        "\x1bP>|xterm.js(6.0.0)\x1b\\",
    ],
)
def test_what_a_viewers_emulator_answers_is_not_typed_again(answer: str) -> None:
    assert without_answers(f"a{answer}b") == "ab"


@pytest.mark.parametrize(
    "keys", ["\x1b[1;2R", "\x1b[A", "\x1bOP", "\x1b[1;5C", "\x1b[I", "\x1b[<0;3;4M", "\x1b[200~x\x1b[201~", "\x1b", "é"]
)
def test_keys_that_look_alike_are_typed(keys: str) -> None:
    assert without_answers(keys) == keys
