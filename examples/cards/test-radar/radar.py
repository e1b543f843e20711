"""Test Radar: reads pytest's report out of what joined terminals print and keeps lists of tasks in step with it.

The host flushes what a command printed before it tells of its end, so at an `exit` event the report is there. What is
known already is read back from the joined lists, so a restart forgets nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardloom_protocol.ports import pick_input
from cardloom_sdk import CallError, Card, ErrorCode, Message, Output, Stop, Tone
from pytest_report import Report, covers, read_report

LISTS = {"todo": "items", "kanban": "tasks"}
KINDS = {
    "failures": ("ns:tasks", "ns:json", "ns:any"),
    "fixes": ("ns:task-patch", "ns:json", "ns:any"),
    "summary": ("ns:markdown", "ns:text", "ns:any"),
}
MAX_KEPT_CHARS = 512 * 1024
MAX_ID_CHARS = 128
MAX_TASKS = 200
_DONE, _OPEN = "done", "error"
_NOT_TAKEN = (ErrorCode.PERMISSION_DENIED, ErrorCode.NOT_CONNECTED, ErrorCode.NOT_FOUND, ErrorCode.INVALID_PARAMS)


@dataclass(frozen=True, slots=True)
class News:
    """What a run changes in lists of tasks: tests to add, and tests whose status is another one now."""

    new: tuple[str, ...]
    changed: Mapping[str, str]


class Radar:
    """What is known: the status of each test that ever failed, by task id."""

    def __init__(self, card: Card) -> None:
        self._card = card
        self._tests: dict[str, str] = {}  # task id → test id
        self._statuses: dict[str, str] = {}
        self._sent: dict[str, set[str]] = {}  # list → task ids it was given or showed; its output may lag behind
        self._printed: dict[str, str] = {}
        self._stop_watching: Stop = _nothing
        self._has_reported = False
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Watch the joined terminals, and bring joined lists and this card's memory together.

        Says so where there is nothing else to say yet: what is printed before is not seen.
        """
        watched = self._watch()
        await self._card.subscribed()
        async with self._lock:
            await self._catch_up()
            if not self._has_reported and not self._statuses:
                await self._card.set_status("watching" if watched else "waiting for a terminal")

    def printed(self, output: Output) -> None:
        """Keep what a terminal prints until its command ends; of a long one the end."""
        text = self._printed.get(output.agent_id, "") + output.text
        self._printed[output.agent_id] = text[-MAX_KEPT_CHARS:]

    async def ended(self, event: Mapping[str, Any], message: Message) -> None:
        """Look for a report in what the command printed."""
        text = self._printed.pop(message.sender, "")
        report = read_report(text)
        if report is None:
            return
        command = str((event.get("data") or {}).get("command") or "")
        async with self._lock:
            await self._catch_up()
            news = self._learn(report, command)
            await self._tell(report, command, news)

    def _watch(self) -> int:
        """Listen to the joined terminals and no others; gives how many there are."""
        self._stop_watching()
        terminals = [peer.card_id for peer in self._card.peers if peer.kind == "terminal"]
        self._printed = {card_id: text for card_id, text in self._printed.items() if card_id in terminals}
        if terminals:
            self._stop_watching = self._card.on_agent_output(terminals, self.printed)
        else:
            self._stop_watching = _nothing
        return len(terminals)

    async def _catch_up(self) -> None:
        """Read the joined lists: what they hold is known; known failures that they lack are sent to them."""
        for peer in self._card.peers:
            if peer.kind not in LISTS or not peer.receives:
                continue
            listed = await self._read_list(peer.card_id, LISTS[peer.kind])
            if listed is None:
                continue
            for task_id, status in listed.items():
                if task_id not in self._statuses or (status == _DONE) != (self._statuses[task_id] == _DONE):
                    self._statuses[task_id] = _DONE if status == _DONE else _OPEN
            given = self._sent.setdefault(peer.card_id, set())
            given.update(listed)
            missing = [
                task_id
                for task_id, status in self._statuses.items()
                if status == _OPEN and task_id not in given and task_id in self._tests
            ]
            given.update(missing)
            for tasks in _portions(self._task(task_id) for task_id in missing):
                await self._send_to(peer.card_id, "failures", tasks)

    async def _read_list(self, card_id: str, output: str) -> dict[str, str] | None:
        """The tests in a list with their statuses, None where it may not be read."""
        try:
            kept = await self._card.read(card_id, output)
        except CallError as error:
            if error.code in (ErrorCode.PERMISSION_DENIED, ErrorCode.NOT_CONNECTED):
                return None
            raise
        tasks = kept.data if kept is not None and isinstance(kept.data, list) else []
        return {task["id"]: task.get("status", "pending") for task in tasks if _is_test(task.get("id"))}

    def _learn(self, report: Report, command: str) -> News:
        failing = {task_id_of(test_id): test_id for test_id in report.failing}
        self._tests.update(failing)
        known = self._open()
        new = [task_id for task_id in failing if task_id not in self._statuses]
        changed = {}
        for task_id, status in self._statuses.items():
            if task_id in failing and status == _DONE:
                changed[task_id] = _OPEN
            elif task_id not in failing and status == _OPEN:
                test_id = self._tests.get(task_id, task_id)
                if covers(report, command, test_id, known):
                    changed[task_id] = _DONE
        self._statuses.update(dict.fromkeys(new, _OPEN), **changed)
        return News(tuple(new), changed)

    async def _tell(self, report: Report, command: str, news: News) -> None:
        await self._show(report)
        for tasks in _portions(self._task(task_id) for task_id in news.new):
            await self._send("failures", tasks)
        for peer in self._card.peers:
            if peer.kind in LISTS and peer.receives:
                self._sent.setdefault(peer.card_id, set()).update(news.new)
        for task_id, status in news.changed.items():
            await self._send("fixes", {"ref": task_id, "status": status})
        await self._send("summary", self._summary(report, command, news))

    async def _show(self, report: Report) -> None:
        self._has_reported = True
        failed, passed = self._open(), report.passed
        tone: Tone = "danger" if failed else "success" if passed else "warning"
        status = f"{failed} failing" if failed else "all passing" if passed else "no tests ran"
        await self._card.set_badge(failed or None, tone="danger")
        await self._card.set_status(status, tone=tone)
        await self._card.set_overview(
            primary=f"{failed} failing",
            secondary=f"{passed} passing",
            progress=passed / (passed + failed) if passed + failed else None,
            tone=tone,
            icon="beaker",
        )

    def _summary(self, report: Report, command: str, news: News) -> str:
        head = f"**{self._open()} failing, {report.passed} passing**"
        lines = [f"{head} after `{command}`" if command else head]
        lines += [f"- new: {_code(test_id)}{_because(report, test_id)}" for test_id in map(self._test_id, news.new)]
        for task_id, status in news.changed.items():
            word = "fixed" if status == _DONE else "failing again"
            lines.append(f"- {word}: {_code(self._test_id(task_id))}")
        return "\n".join(lines)

    def _open(self) -> int:
        """How many tests are known to fail."""
        return sum(status == _OPEN for status in self._statuses.values())

    def _test_id(self, task_id: str) -> str:
        return self._tests.get(task_id, task_id)

    def _task(self, task_id: str) -> dict[str, str]:
        return {"id": task_id, "text": words_of(self._test_id(task_id)), "status": _OPEN}

    async def _send(self, output: str, value: Any) -> None:
        """Send a value to each joined card that takes its very kind.

        Sending to all would let the host convert: a summary would become tasks, tasks would become a note's text.
        """
        for peer in self._card.peers:
            port = pick_input(KINDS[output][0], peer.inputs) if peer.receives else None
            if port is not None and port.type in KINDS[output]:
                await self._send_to(peer.card_id, output, value)

    async def _send_to(self, card_id: str, output: str, value: Any) -> None:
        """Send a value at the pace the host allows; a card that may not get it or is gone gets nothing."""
        while True:
            try:
                await self._card.send(card_id, output, value)
            except CallError as error:
                if error.code in _NOT_TAKEN:
                    await self._card.log(f"{output} was not taken: {error.message}", "warn")
                    return
                if error.code is not ErrorCode.RATE_LIMITED or not isinstance(error.data, dict):
                    raise
                await self._card.timing.sleep_ms(float(str(error.data.get("retryAfterMs", 1000))))
            else:
                return


def make_card(**options: Any) -> Card:
    """The card with its handlers. `options` are those of Card."""
    card = Card(Path(__file__).parent, **options)
    radar = Radar(card)
    card.on_ready(radar.start)
    card.on_peers_changed(radar.start)
    card.on_message("exit")(radar.ended)
    return card


def task_id_of(test_id: str) -> str:
    """The task's id of a test: the test's own, shortened where it is too long for one."""
    if len(test_id) <= MAX_ID_CHARS:
        return test_id
    return f"{test_id[: MAX_ID_CHARS - 17]}~{hashlib.sha256(test_id.encode()).hexdigest()[:16]}"


def words_of(test_id: str) -> str:
    """A test's name as people say it: `tests/test_cart.py::TestTotal::test_rounds[eur]` is `Total rounds [eur]`."""
    path, _, rest = test_id.partition("::")
    if not rest:
        return f"{path} can be loaded"[:500]
    name, bracket, parameter = rest.partition("[")
    parts = [part.removeprefix("Test") if part.startswith("Test") else part for part in name.split("::")]
    parts[-1] = parts[-1].removeprefix("test_")
    words = " ".join(part.replace("_", " ").strip() for part in parts if part) or rest
    return f"{words} {bracket}{parameter}".strip()[:500]


def _nothing() -> None:
    """There is nothing to stop."""


def _is_test(task_id: Any) -> bool:
    return isinstance(task_id, str) and (".py::" in task_id or task_id.endswith(".py"))


def _portions(tasks: Iterable[dict[str, str]]) -> list[list[dict[str, str]]]:
    every = list(tasks)
    return [every[start : start + MAX_TASKS] for start in range(0, len(every), MAX_TASKS)]


def _code(text: str) -> str:
    return f"`{text.replace('`', chr(39))}`"


def _because(report: Report, test_id: str) -> str:
    reason = report.failing.get(test_id, "")
    return f" – {_code(reason)}" if reason else ""
