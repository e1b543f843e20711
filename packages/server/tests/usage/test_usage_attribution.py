"""Who caused a request: the prompts that Cardloom sent, and people at the terminals of agents."""

from __future__ import annotations

from cardloom.features.usage.attribution import Prompted, by_sender, with_people
from cardloom.features.usage.records import UsageRecord
from cardloom.features.usage.turns import StatusChange
from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.ids import CardId

AGENT = CardId("c_agent")
CARD = CardId("c_card")
WORKING, WAITING, FINISHED = AgentStatus.WORKING, AgentStatus.NEEDS_INPUT, AgentStatus.FINISHED
S = 1000


def statuses(*changes: tuple[float, AgentStatus]) -> list[StatusChange]:
    return [StatusChange(int(at_s * S), status) for at_s, status in changes]


def causes(prompts: list[Prompted], changes: list[StatusChange], *requests_s: float) -> list[CardId | None]:
    """Who caused requests that were made at these seconds."""
    at = [int(one * S) for one in requests_s]
    prompted = {AGENT: with_people(prompts, changes, at, 10_000 * S)}
    found: list[CardId | None] = []
    for one in at:
        record = UsageRecord(str(one), "s", one, one)
        found += [sender.sender_id for sender in by_sender([(record, AGENT)], prompted, lambda _: None)]
    return found


def test_what_a_person_types_after_a_cards_turn_is_the_persons() -> None:
    changes = statuses((1, WORKING), (9, FINISHED), (20, WORKING), (29, FINISHED))
    assert causes([Prompted(900, CARD, "Card")], changes, 5, 25) == [CARD, None]


def test_a_request_that_began_a_moment_before_its_turn_was_seen_is_the_persons_too() -> None:
    changes = statuses((1, WORKING), (9, FINISHED), (20, WORKING), (29, FINISHED))
    assert causes([Prompted(900, CARD, "Card")], changes, 5, 19.8) == [CARD, None]


def test_an_answer_to_a_question_begins_no_turn_of_a_person() -> None:
    changes = statuses((1, WORKING), (4, WAITING), (6, WORKING), (9, FINISHED))
    assert causes([Prompted(900, CARD, "Card")], changes, 3, 8) == [CARD, CARD]


def test_a_prompt_sent_into_a_running_turn_explains_the_next_one() -> None:
    changes = statuses((1, WORKING), (9, FINISHED), (10, WORKING), (19, FINISHED), (30, WORKING))
    prompts = [Prompted(900, None, None), Prompted(5 * S, CARD, "Card")]
    assert causes(prompts, changes, 3, 12, 35) == [None, CARD, None]


def test_a_blink_of_the_status_uses_up_no_prompt() -> None:
    changes = statuses((1, WORKING), (9, FINISHED), (20, WORKING), (21, FINISHED), (40, WORKING), (49, FINISHED))
    assert causes([Prompted(19 * S, CARD, "Card")], changes, 5, 45) == [None, CARD]


def test_without_any_status_the_last_prompt_counts() -> None:
    assert causes([Prompted(10 * S, CARD, "Card")], [], 5, 15) == [None, CARD]
