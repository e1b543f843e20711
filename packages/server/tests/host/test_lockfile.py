"""One server a data folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cardloom.host.lockfile import FolderLock, FolderTaken, Holder, read_holder


def test_a_folder_is_held_by_one_and_says_by_whom(tmp_path: Path) -> None:
    first = FolderLock(tmp_path / "data")
    first.take()
    first.announce(4321)
    with pytest.raises(FolderTaken) as taken:
        FolderLock(tmp_path / "data").take()
    assert taken.value.holder == Holder(os.getpid(), 4321)
    assert taken.value.folder == tmp_path / "data"
    first.release()
    assert read_holder(tmp_path / "data") is None
    second = FolderLock(tmp_path / "data")
    second.take()
    assert read_holder(tmp_path / "data") == Holder(os.getpid(), None)
    second.release()


@pytest.mark.parametrize("said", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1}', "\xff"])
def test_a_note_that_cannot_be_read_names_nobody(tmp_path: Path, said: str) -> None:
    (tmp_path / "server.json").write_text(said, "latin-1")
    assert read_holder(tmp_path) is None
