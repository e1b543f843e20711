"""What is typed around a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import cast

import pytest

from cardloom.core.clock import VirtualClock
from cardloom.features.agents.facts import TurnEnded, TurnStarted
from cardloom.features.agents.harnesses.shape import Harness, KeyWrite
from cardloom.features.agents.harnesses.table import HARNESSES
from cardloom.features.agents.prompts.typist import KEYS_SETTLE_MS, READY_WAIT_MS, SHOW_WAIT_MS, Typist
from cardloom.features.agents.seats.seat import Seat
from cardloom.features.agents.signals import Spawned, Told
from cardloom.features.agents.status import initial, step


class Keyboard(SimpleNamespace):
    """A seat whose keys are only noted."""

    def __init__(self, harness: Harness, *, interrupted: bool) -> None:
        state, _ = step(initial(harness.rules), Spawned(), 1_000)
        if interrupted:
            state, _ = step(state, Told(TurnStarted(), 1, 2_000), 2_000)
            state, _ = step(state, Told(TurnEnded("interrupted"), 1, 3_000), 3_000)
        super().__init__(harness=harness, state=state, status=state.shown, alive=True, generation=0)
        self.typed_at_ms: int | None = None
        self.keys_at_ms: int | None = None
        self.bracketed_paste = True
        self.keys: list[str] = []

    def write(self, text: str) -> None:
        self.keys.append(text)

    async def press(self, writes: Sequence[KeyWrite]) -> bool:
        self.keys += [write.data.decode() for write in writes]
        return True


@pytest.mark.parametrize(
    ("harness_id", "interrupted", "cleared"),
    [
        ("qwen-code", True, ["\x15"]),
        ("gemini-cli", True, ["\x15"]),
        ("qwen-code", False, []),
        ("claude-code", True, []),
    ],
)
async def test_a_prompt_that_came_back_is_cleared_before_the_next(
    harness_id: str, interrupted: bool, cleared: list[str]
) -> None:
    keyboard = Keyboard(HARNESSES[harness_id], interrupted=interrupted)
    await Typist(cast(Seat, keyboard), VirtualClock()).insert("next")
    assert keyboard.keys[:-1] == cleared
    assert "next" in keyboard.keys[-1]


async def test_a_prompt_waits_until_an_escape_before_it_was_read() -> None:
    clock = VirtualClock()
    keyboard = Keyboard(HARNESSES["claude-code"], interrupted=True)
    keyboard.keys_at_ms = clock.now_ms()
    waits: list[int] = []

    async def until(holds: Callable[[], bool], wait_ms: int) -> bool:
        assert not holds()
        assert keyboard.keys == []
        waits.append(wait_ms)
        return False

    keyboard.until = until
    await Typist(cast(Seat, keyboard), clock).insert("next")
    assert waits == [KEYS_SETTLE_MS]
    assert keyboard.keys == ["next"]


async def test_a_silent_program_takes_no_prompt_before_it_shows_something() -> None:
    """OpenCode asks for marked pastes, is silent for seconds, draws, and reads keys only then."""
    keyboard = Keyboard(HARNESSES["opencode"], interrupted=False)
    keyboard.generation, keyboard.quiet_ms, keyboard.shows_something = 1, 5_000, False
    waits: list[int] = []

    async def until(holds: Callable[[], bool], wait_ms: int) -> bool:
        assert not holds()
        assert keyboard.keys == []
        keyboard.shows_something, keyboard.quiet_ms = True, 1_000 if not waits else 2_000
        waits.append(wait_ms)
        assert holds()
        return True

    keyboard.until = until
    await Typist(cast(Seat, keyboard), VirtualClock()).insert("next")
    # On a busy machine it may show nothing for longer than one that shows something is waited for.
    assert waits == [SHOW_WAIT_MS, READY_WAIT_MS]
    assert keyboard.keys == ["next"]
