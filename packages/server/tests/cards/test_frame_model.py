"""Which frame sleeps so that another can live."""

from __future__ import annotations

from collections.abc import Callable

from cardloom.core.presence import Visibility
from cardloom.features.cards.frames.model import Frame, FrameRuntime, exempt, victim
from cardloom_protocol.ids import CardId, ConnectionId, PageId

NOBODY: Callable[[CardId], bool] = lambda _: False  # noqa: E731


def frame(name: str, visibility: Visibility, unseen_since_ms: int = 0, since_ms: int = 0) -> Frame:
    return Frame(
        CardId(name), "token", ConnectionId("n"), PageId("p"), since_ms, visibility, unseen_since_ms, status="running"
    )


def chosen(frames: list[Frame], focused: str = "", kept: frozenset[CardId] = frozenset()) -> str | None:
    found = victim(frames, lambda card_id: card_id == focused, kept)
    return None if found is None else found.card_id


def test_the_hidden_one_longest_out_of_sight_goes_first() -> None:
    frames = [frame("a", "hidden", 30), frame("b", "hidden", 10), frame("c", "overview", 1), frame("d", "visible")]
    assert chosen(frames) == "b"


def test_without_a_hidden_one_the_longest_in_overview_goes() -> None:
    assert chosen([frame("a", "visible"), frame("b", "overview", 20), frame("c", "overview", 10)]) == "c"


def test_the_focused_one_and_those_in_sight_never_go() -> None:
    assert chosen([frame("a", "hidden", 1), frame("b", "visible")], focused="a") is None
    assert chosen([]) is None


def test_one_that_may_keep_running_goes_last() -> None:
    kept = frozenset({CardId("a")})
    assert chosen([frame("a", "hidden", 1), frame("b", "overview", 9)], kept=kept) == "b"
    assert chosen([frame("a", "hidden", 1), frame("b", "visible")], kept=kept) == "a"


def test_one_that_is_on_its_way_out_is_not_chosen_again() -> None:
    leaving = frame("a", "hidden", 1)
    leaving.leaving = lambda: None
    assert chosen([leaving, frame("b", "hidden", 2)]) == "b"


def test_the_ninth_that_may_run_out_of_sight_is_treated_as_one_that_may_not() -> None:
    frames = [frame(str(number), "hidden", since_ms=9 - number) for number in range(9)]
    assert exempt(frames, lambda _: True, 8) == {CardId(str(number)) for number in range(1, 9)}
    assert exempt(frames, NOBODY, 8) == frozenset()


def test_a_frames_runtime_says_where_it_is() -> None:
    assert FrameRuntime("running", PageId("p_1"), None, True).to_wire() == {
        "kind": "frame",
        "status": "running",
        "error": None,
        "pageId": "p_1",
        "expanded": True,
    }
