"""Test Radar as a whole, with lists and notes joined to it in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cardloom_protocol.ports import PeerInfo, PortInfo
from cardloom_sdk import CallError, Card, ErrorCode
from cardloom_sdk.testing import CardHost, Emitted, VirtualTiming, peer, shell
from radar import make_card, task_id_of, words_of

SSO = "tests/test_auth.py::test_logs_in_with_sso"
SAVED = "tests/test_payments.py::test_pays_with_a_saved_card"
TERMINAL = peer("c_term", "terminal", direction="upstream")
TODO = peer("c_todo", "todo")
NOTE = peer("c_note", "note")


def printed(*failing: str, passed: int = 12) -> str:
    summary = "".join(f"FAILED {test_id} - assert 0\n" for test_id in failing)
    failed = f"{len(failing)} failed, " if failing else ""
    head = "===== short test summary info =====\n" if failing else ""
    return f"..F.\n{head}{summary}{failed}{passed} passed in 0.61s\n$ "


def hosted(*peers: PeerInfo) -> tuple[Card, CardHost]:
    card = make_card(timing=VirtualTiming())
    return card, CardHost(card, peers=peers, agents=[shell("c_term")])


async def run(host: CardHost, text: str, command: str = "./run-tests") -> list[Emitted]:
    """What a run of the tests makes the card send."""
    before = len(host.emitted)
    for start in range(0, len(text), 40):
        await host.print_output("c_term", text[start : start + 40])
    event = {"type": "exit", "data": {"command": command, "exitCode": 1}}
    await host.deliver("exit", event, sender="c_term", sender_kind="terminal", output="exit")
    return host.emitted[before:]


def sent(emitted: Iterable[Emitted], port: str) -> list[Any]:
    return [one.data for one in emitted if one.port == port]


async def test_failing_tests_become_tasks_with_their_names_in_words() -> None:
    _, host = hosted(TERMINAL, TODO)
    async with host:
        emitted = await run(host, printed(SSO, SAVED))
        assert sent(emitted, "failures") == [
            [
                {"id": SSO, "text": "logs in with sso", "status": "error"},
                {"id": SAVED, "text": "pays with a saved card", "status": "error"},
            ]
        ]
        assert sent(emitted, "fixes") == []


async def test_a_second_run_tells_only_what_is_new() -> None:
    _, host = hosted(TERMINAL, TODO)
    async with host:
        await run(host, printed(SSO))
        emitted = await run(host, printed(SSO, SAVED))
        assert [task["id"] for task in sent(emitted, "failures")[0]] == [SAVED]


async def test_a_fixed_test_is_ticked_off_and_one_that_fails_again_is_opened() -> None:
    _, host = hosted(TERMINAL, TODO)
    async with host:
        await run(host, printed(SSO, SAVED))
        assert sent(await run(host, printed(SAVED, passed=13)), "fixes") == [{"ref": SSO, "status": "done"}]
        assert sent(await run(host, printed(SSO, passed=13)), "fixes") == [
            {"ref": SSO, "status": "error"},
            {"ref": SAVED, "status": "done"},
        ]


async def test_a_run_of_something_else_ticks_nothing_off() -> None:
    _, host = hosted(TERMINAL, TODO)
    async with host:
        await run(host, printed(SSO))
        emitted = await run(host, printed(passed=4), "./run-tests tests/test_cart.py")
        assert sent(emitted, "fixes") == []
        assert host.shown.badge is not None
        assert host.shown.badge["count"] == 1


async def test_the_card_shows_how_many_fail_and_pass() -> None:
    _, host = hosted(TERMINAL)
    async with host:
        await run(host, printed(SSO, SAVED))
        assert host.shown.badge == {"count": 2, "text": None, "tone": "danger"}
        assert host.shown.status == {"text": "2 failing", "tone": "danger"}
        assert host.shown.overview is not None
        assert (host.shown.overview["primary"], host.shown.overview["secondary"]) == ("2 failing", "12 passing")
        await run(host, printed(passed=14))
        assert host.shown.badge is None
        assert host.shown.status == {"text": "all passing", "tone": "success"}


async def test_the_summary_names_what_changed() -> None:
    _, host = hosted(TERMINAL, NOTE)
    async with host:
        await run(host, printed(SSO))
        emitted = await run(host, printed(SAVED), "pytest -q")
        assert sent(emitted, "summary") == [
            f"**1 failing, 12 passing** after `pytest -q`\n- new: `{SAVED}` – `assert 0`\n- fixed: `{SSO}`"
        ]


async def test_commands_that_are_no_test_run_send_nothing() -> None:
    _, host = hosted(TERMINAL, TODO, NOTE)
    async with host:
        assert await run(host, "README.md  run-tests  shop  tests\n", "ls") == []
        assert host.shown.status == {"text": "watching"}


async def test_it_says_when_it_watches_and_what_it_waits_for() -> None:
    _, host = hosted(NOTE)
    async with host:
        assert host.shown.status == {"text": "waiting for a terminal"}
        await host.set_peers(TERMINAL, NOTE)
        assert host.shown.status == {"text": "watching"}
        await run(host, printed(SSO))
        await host.set_peers(TERMINAL)
        assert host.shown.status == {"text": "1 failing", "tone": "danger"}


async def test_what_a_joined_list_shows_is_not_hidden_by_words_of_a_start() -> None:
    _, host = hosted(TERMINAL, TODO)
    host.keep("c_todo", "items", [{"id": SSO, "text": "logs in with sso", "status": "error"}])
    async with host:
        assert host.shown.status is None


async def test_what_was_printed_before_another_commands_end_does_not_count_again() -> None:
    _, host = hosted(TERMINAL, TODO)
    async with host:
        await run(host, printed(SSO))
        assert await run(host, "", "true") == []


async def test_after_a_restart_the_joined_list_tells_what_is_known() -> None:
    _, host = hosted(TERMINAL, TODO)
    host.keep(
        "c_todo",
        "items",
        [
            {"id": SSO, "text": "logs in with sso", "status": "error"},
            {"id": SAVED, "text": "pays", "status": "done"},
            {"id": "i_1", "text": "buy milk", "status": "pending"},
        ],
    )
    async with host:
        emitted = await run(host, printed(SSO))
        assert sent(emitted, "failures") == []
        assert sent(await run(host, printed(SAVED)), "fixes") == [
            {"ref": SSO, "status": "done"},
            {"ref": SAVED, "status": "error"},
        ]


async def test_an_item_ticked_off_by_hand_is_opened_while_its_test_fails() -> None:
    _, host = hosted(TERMINAL, TODO)
    async with host:
        await run(host, printed(SSO))
        host.keep("c_todo", "items", [{"id": SSO, "text": "logs in", "status": "done"}])
        assert sent(await run(host, printed(SSO)), "fixes") == [{"ref": SSO, "status": "error"}]


async def test_a_list_joined_later_gets_what_fails_once() -> None:
    _, host = hosted(TERMINAL)
    async with host:
        await run(host, printed(SSO))
        await host.set_peers(TERMINAL, TODO)
        await host.set_peers(TERMINAL, TODO, NOTE)
        assert [(one.to, one.input) for one in host.emitted if one.to] == [("c_todo", "add")]


async def test_an_item_the_person_removed_stays_removed() -> None:
    _, host = hosted(TERMINAL, TODO)
    async with host:
        await run(host, printed(SSO))
        host.keep("c_todo", "items", [])
        emitted = await run(host, printed(SSO))
        assert emitted == []


async def test_lists_get_tasks_and_notes_get_the_summary_whatever_else_they_could_take() -> None:
    custom = peer("c_any", inputs=[PortInfo("in", "In", "ns:any")])
    _, host = hosted(TERMINAL, TODO, NOTE, custom, peer("c_up", "note", direction="upstream"))
    async with host:
        emitted = await run(host, printed(SSO))
        assert [(one.port, one.to) for one in emitted] == [
            ("failures", "c_todo"),
            ("failures", "c_any"),
            ("summary", "c_note"),
            ("summary", "c_any"),
        ]


async def test_without_the_permission_to_use_lists_the_card_still_shows_what_fails() -> None:
    card = make_card(timing=VirtualTiming())
    async with CardHost(card, permissions=["agents.output"], peers=[TERMINAL, TODO], agents=[shell("c_term")]) as host:
        assert await run(host, printed(SSO)) == []
        assert host.shown.badge is not None
        assert host.shown.log == [("warn", "failures was not taken: This needs the permission cards.connected.")]


async def test_many_changes_go_out_at_the_pace_the_host_allows() -> None:
    _, host = hosted(TERMINAL, TODO)
    async with host:
        await run(host, printed(SSO, SAVED))
        host.refuse_next("ports.send", CallError(ErrorCode.RATE_LIMITED, "slow", {"retryAfterMs": 700}))
        assert await run(host, printed(passed=14)) == []
        await host.advance(700)
        assert len(sent(host.emitted, "fixes")) == 2


async def test_more_failures_than_a_list_takes_at_once_go_out_in_portions() -> None:
    _, host = hosted(TERMINAL, TODO)
    names = [f"tests/test_many.py::test_{number}" for number in range(250)]
    async with host:
        emitted = await run(host, printed(*names))
        assert [len(tasks) for tasks in sent(emitted, "failures")] == [200, 50]


async def test_of_endless_output_the_end_is_kept() -> None:
    _, host = hosted(TERMINAL, TODO)
    async with host:
        for _ in range(20):
            await host.print_output("c_term", "y\n" * 30_000)
        assert sent(await run(host, printed(SSO)), "failures") != []


async def test_a_terminal_that_is_joined_later_is_watched() -> None:
    _, host = hosted(TODO)
    async with host:
        await host.set_peers(TERMINAL, TODO)
        assert sent(await run(host, printed(SSO)), "failures") != []
        await host.set_peers(TODO)
        assert host.world.topics == set()


def test_names_are_said_in_words() -> None:
    assert words_of("tests/test_cart.py::TestTotal::test_is_rounded[eur]") == "Total is rounded [eur]"
    assert words_of("tests/test_cart.py") == "tests/test_cart.py can be loaded"
    assert words_of("a.py::test_") == "test_"


@given(st.text(max_size=2000))
def test_every_name_makes_a_task_that_fits(name: str) -> None:
    test_id = f"t.py::test_{name}"
    assert len(task_id_of(test_id)) <= 128
    assert 1 <= len(words_of(test_id)) <= 500


def test_long_names_that_differ_at_their_end_stay_apart() -> None:
    long = "t.py::test_" + "x" * 200
    assert task_id_of(long + "a") != task_id_of(long + "b")
