"""Ids: the letter of their kind and random letters, each once."""

from __future__ import annotations

import re

from cardloom.core.ids import new_card_id, new_chain_id


def test_ids_do_not_repeat_and_name_their_kind() -> None:
    made = [make() for _ in range(2000) for make in (new_card_id, new_chain_id)]
    assert len(set(made)) == len(made)
    assert all(re.fullmatch(r"[ch]_[A-Za-z0-9_-]{12}", one) for one in made)
