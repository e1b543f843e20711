"""The tokens of frames: good for one frame, for a while, for two documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardloom.core.clock import VirtualClock
from cardloom.core.mounts import FrameFiles, Mount, Mounts
from cardloom_protocol.ids import CardId, ConnectionId, PageId, WorkspaceId

MOUNT = Mount(
    CardId("c_1"), WorkspaceId("w_1"), ConnectionId("n_1"), PageId("p_1"), FrameFiles(Path("packages"), "index.html")
)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def mounts(clock: VirtualClock) -> Mounts:
    return Mounts(clock)


def test_a_token_stands_for_its_frame_and_no_other_text_does(mounts: Mounts) -> None:
    token = mounts.issue(MOUNT)
    assert mounts.find(token) == MOUNT
    for other in ("", token + "x", token[:-1], token.swapcase()):
        assert mounts.find(other) is None


def test_a_token_that_nobody_used_within_thirty_seconds_is_worthless(mounts: Mounts, clock: VirtualClock) -> None:
    token = mounts.issue(MOUNT)
    clock.advance(30_001)
    assert mounts.find(token) is None
    assert mounts.load(token) is None


def test_a_token_that_was_used_in_time_stays_good(mounts: Mounts, clock: VirtualClock) -> None:
    token = mounts.issue(MOUNT)
    clock.advance(30_000)
    assert mounts.find(token) == MOUNT
    clock.advance(3_600_000)
    assert mounts.find(token) == MOUNT


def test_a_frame_loads_at_most_two_documents_and_each_is_told(mounts: Mounts) -> None:
    told: list[Mount] = []
    mounts.loaded = told.append
    token = mounts.issue(MOUNT)
    assert [mounts.load(token) for _ in range(3)] == [MOUNT, MOUNT, None]
    assert told == [MOUNT, MOUNT]
    assert mounts.find(token) == MOUNT  # its files and its connection go on


def test_a_dropped_token_is_worthless_at_once(mounts: Mounts) -> None:
    token = mounts.issue(MOUNT)
    mounts.load(token)
    mounts.drop(token)
    assert mounts.find(token) is None
    mounts.drop(token)
