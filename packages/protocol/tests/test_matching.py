"""Which input is picked, and what using it takes."""

import random

import pytest

from cardloom_protocol.ports import (
    PORT_TYPES,
    PeerInfo,
    PortInfo,
    compatible,
    has_downstream_peer,
    permission_for_peer,
    pick_input,
)


def some_inputs(rng: random.Random) -> list[PortInfo]:
    types = [*PORT_TYPES, "a/b"]
    return [
        PortInfo(
            f"p{number}",
            "P",
            rng.choice(types),
            mode="request" if rng.random() < 0.2 else "stream",
            default=rng.random() < 0.1,
            permission=rng.choice([None, "cards.connected"]),
        )
        for number in range(rng.randrange(8))
    ]


@pytest.mark.parametrize("seed", range(60))
def test_a_picked_input_streams_fits_and_is_the_best_there_is(seed: int) -> None:
    rng = random.Random(seed)
    inputs = some_inputs(rng)
    for output_type in [*PORT_TYPES, "a/b"]:
        fitting = [port for port in inputs if port.mode == "stream" and compatible(output_type, port.type)]
        picked = pick_input(output_type, inputs)
        if picked is None:
            assert fitting == []
            continue
        assert picked in fitting
        rank = [not port.default for port in fitting]
        if all(rank):
            rank = [port.type != output_type for port in fitting]
        assert fitting.index(picked) == rank.index(min(rank))
        assert permission_for_peer(inputs, output_type=output_type) == picked.permission


def test_an_arrow_towards_this_card_brings_nobody_downstream() -> None:
    upstream = PeerInfo("c1", "note", "N", "upstream")
    assert not has_downstream_peer([upstream])
    assert has_downstream_peer([upstream, PeerInfo("c2", "note", "N", "both")])
