"""The rules of the built-in kinds, as values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardloom.features.cards.builtin.kanban import Kanban
from cardloom.features.cards.builtin.note import Note, appended
from cardloom.features.cards.builtin.service import KINDS
from cardloom.features.cards.builtin.state import Conflict, State
from cardloom.features.cards.builtin.sticky import Sticky, edited
from cardloom.features.cards.builtin.todo import Todo
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ports import check_value
from cardloom_protocol.ports.builtin import BUILTIN_PORTS

BOARD: Mapping[str, Any] = {
    "columns": [{"id": "a", "title": "To do"}, {"id": "b", "title": "Done"}],
    "tasks": [
        {"id": "1", "text": "one", "status": "pending", "column": "a"},
        {"id": "2", "text": "two", "status": "active", "column": "a", "assignee": "ann"},
        {"id": "3", "text": "three", "status": "done", "column": "b"},
    ],
}


def ids() -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"n{next(numbers)}"


def items(*texts: str) -> State:
    return State({"items": [{"id": str(n), "text": text, "status": "pending"} for n, text in enumerate(texts)]})


def step(state: State, **op: Any) -> State:
    after = (Kanban() if "columns" in state.content else Todo()).step(state, op, ids())
    assert isinstance(after, State)
    return after


def texts(state: State) -> list[str]:
    return [task["text"] for task in state.content.get("items", state.content.get("tasks"))]


def columns(state: State) -> dict[str, list[str]]:
    tasks = state.content["tasks"]
    return {
        column["title"]: [task["id"] for task in tasks if task["column"] == column["id"]]
        for column in state.content["columns"]
    }


def refusal(work: Callable[[], Any]) -> CallError:
    with pytest.raises(CallError) as found:
        work()
    return found.value


# Note


@pytest.mark.parametrize(
    ("text", "paragraph", "after"),
    [
        ("", "one", "one"),
        ("one", "two", "one\n\ntwo"),
        ("one\n", "two", "one\n\ntwo"),
        ("one\n\n\n", "\n\ntwo\n", "one\n\ntwo\n"),
        ("one", "  ", "one"),
        ("one", "    code", "one\n\n    code"),
    ],
)
def test_a_paragraph_is_added_after_one_blank_line(text: str, paragraph: str, after: str) -> None:
    assert appended(text, paragraph) == after


def test_a_note_that_would_be_too_long_stays_as_it_is() -> None:
    note = State({"text": "x" * 999_990})
    assert refusal(lambda: Note().receive(note, "append", "y" * 20, ids())).code is ErrorCode.TOO_LARGE
    assert Note().receive(note, "replace", "y", ids()) == State({"text": "y"})


# To-do list


def test_items_are_added_in_place_changed_moved_and_removed() -> None:
    state = step(items("a", "b"), do="add", text="c", index=1)
    assert texts(state) == ["a", "c", "b"]
    assert state.content["items"][1] == {"id": "n1", "text": "c", "status": "pending"}
    state = step(state, do="update", id="0", status="done")
    state = step(state, do="move", id="n1", index=0)
    assert texts(state) == ["c", "a", "b"]
    assert texts(step(state, do="clearDone")) == ["c", "b"]
    assert texts(step(state, do="remove", id="1")) == ["c", "a"]


def test_a_text_written_over_another_text_is_a_conflict_and_nothing_is_written() -> None:
    op = {"do": "update", "id": "0", "text": "mine", "baseText": "before", "status": "done"}
    assert Todo().step(items("theirs"), op, ids()) == Conflict({"text": "theirs"})
    assert texts(step(items("before"), **op)) == ["mine"]
    assert texts(step(items("mine"), **op)) == ["mine"]


def test_an_unknown_item_is_not_found_and_twins_are_refused() -> None:
    for op in ({"do": "remove"}, {"do": "move", "index": 0}, {"do": "update", "text": "x"}):
        assert refusal(partial(step, items("a"), id="other", **op)).code is ErrorCode.NOT_FOUND
    twins = [{"id": "1", "text": "a", "status": "done"}] * 2
    assert refusal(lambda: step(items(), do="replace", items=twins)).code is ErrorCode.INVALID_PARAMS


def test_the_two_hundred_and_first_item_is_refused_by_the_limits_name() -> None:
    full = items(*[str(n) for n in range(200)])
    error = refusal(lambda: step(full, do="add", text="x"))
    assert error.code is ErrorCode.QUOTA_EXCEEDED
    assert "todoItems" in error.message
    almost = items(*[str(n) for n in range(199)])
    tasks = [{"text": "x"}, {"text": "y"}]
    assert refusal(lambda: Todo().receive(almost, "add", tasks, ids())).code is ErrorCode.QUOTA_EXCEEDED


def test_added_tasks_keep_their_ids_where_those_are_free() -> None:
    tasks = [{"text": "x", "id": "0"}, {"text": "y", "id": "new"}, {"text": "z", "id": "new"}, {"text": "w"}]
    after = Todo().receive(items("a"), "add", tasks, ids())
    assert [item["id"] for item in after.content["items"]] == ["0", "n1", "new", "n2", "n3"]


def test_a_task_that_comes_again_is_no_second_one_and_what_is_told_of_it_is_taken_over() -> None:
    ours, theirs = "i_abcdefghijkl", "7"
    first = [{"id": ours, "text": "a"}, {"id": theirs, "text": "b"}, {"text": "c"}]
    after = Todo().receive(items(), "add", first, ids())
    again = [{"id": ours, "text": "A", "status": "done"}, {"id": theirs, "text": "b", "column": "Later"}]
    after = Todo().receive(after, "add", again, ids())
    assert after.content["items"] == [
        {"id": ours, "text": "A", "status": "done"},
        {"id": theirs, "text": "b", "status": "pending", "column": "Later"},
        {"id": "n1", "text": "c", "status": "pending"},
    ]
    assert Todo().receive(after, "add", again, ids()) == after


def test_an_id_of_somebody_else_may_mean_another_task_which_comes_once() -> None:
    state = items("theirs")
    for _ in range(3):
        state = Todo().receive(state, "add", [{"id": "0", "text": "mine", "status": "active"}], ids())
    assert [(item["id"], item["text"]) for item in state.content["items"]] == [("0", "theirs"), ("n1", "mine")]
    assert [item["status"] for item in state.content["items"]] == ["pending", "active"]


def test_a_task_that_comes_to_a_board_again_moves_where_it_is_said_to_be_and_stays_where_nothing_is_said() -> None:
    state = State(BOARD)
    told = [
        {"id": "1", "text": "one", "column": "Done", "assignee": "bob"},
        {"id": "2", "text": "two", "status": "error"},
        {"id": "3", "text": "three", "column": "Nowhere"},
    ]
    after = Kanban().receive(state, "add", told, ids())
    assert columns(after) == {"To do": ["2"], "Done": ["3", "1"]}
    tasks = {task["id"]: task for task in after.content["tasks"]}
    assert "assignee" not in tasks["1"]
    assert (tasks["2"]["status"], tasks["2"]["assignee"]) == ("error", "ann")
    assert Kanban().receive(after, "add", told, ids()) == after


def test_a_full_list_still_takes_over_what_is_told_of_its_items() -> None:
    full = items(*[str(n) for n in range(200)])
    told = [{"id": str(n), "text": str(n), "status": "done"} for n in range(200)]
    after = Todo().receive(full, "add", told, ids())
    assert [item["status"] for item in after.content["items"]] == ["done"] * 200


def test_added_tasks_keep_what_a_list_does_not_show() -> None:
    task = {"text": "x", "status": "error", "column": "Later", "assignee": "ann"}
    after = Todo().receive(items(), "add", [task], ids())
    assert after.content["items"] == [{"id": "n1", **task}]


@pytest.mark.parametrize("kind", [Todo(), Kanban()])
def test_a_patch_finds_its_task_by_id_else_by_exact_text(kind: Any) -> None:
    state = State(BOARD) if isinstance(kind, Kanban) else State({"items": BOARD["tasks"]})
    by_id = kind.receive(state, "update", {"ref": "2", "text": "deux"}, ids())
    assert texts(by_id) == ["one", "deux", "three"]
    by_text = kind.receive(state, "update", {"ref": "three", "status": "error"}, ids())
    assert by_text.content[next(k for k in ("items", "tasks") if k in state.content)][2]["status"] == "error"


def test_a_patch_that_means_none_or_several_is_refused_with_the_count() -> None:
    error = refusal(lambda: Todo().receive(items("a"), "update", {"ref": "A"}, ids()))
    assert (error.code, error.message) == (ErrorCode.INVALID_PARAMS, "no task matches 'A'")
    error = refusal(lambda: Todo().receive(items("a", "a", "b"), "update", {"ref": "a"}, ids()))
    assert (error.code, error.message) == (ErrorCode.INVALID_PARAMS, "2 tasks match 'a'")


def test_an_id_stands_before_a_text() -> None:
    state = State({"items": [{"id": "b", "text": "a", "status": "done"}, {"id": "c", "text": "b", "status": "done"}]})
    after = Todo().receive(state, "update", {"ref": "b", "text": "found"}, ids())
    assert texts(after) == ["found", "b"]


# Task board


def test_tasks_are_added_to_the_named_column_else_the_first_and_to_nobody() -> None:
    tasks = [{"text": "x", "column": "Done", "assignee": "ann"}, {"text": "y", "column": "b"}, {"text": "z"}]
    after = Kanban().receive(State(BOARD), "add", [*tasks, {"text": "w", "column": "Nowhere"}], ids())
    assert columns(after) == {"To do": ["1", "2", "n3", "n4"], "Done": ["3", "n1", "n2"]}
    assert not [task for task in after.content["tasks"][3:] if "assignee" in task]


def test_a_patch_moves_a_task_to_the_end_of_the_named_column() -> None:
    after = Kanban().receive(State(BOARD), "update", {"ref": "one", "column": "Done", "status": "done"}, ids())
    assert columns(after) == {"To do": ["2"], "Done": ["3", "1"]}
    same = Kanban().receive(State(BOARD), "update", {"ref": "one", "column": "To do"}, ids())
    assert columns(same) == columns(State(BOARD))


def test_a_patch_to_an_unknown_column_names_the_known_ones() -> None:
    error = refusal(lambda: Kanban().receive(State(BOARD), "update", {"ref": "one", "column": "Later"}, ids()))
    assert error.code is ErrorCode.INVALID_PARAMS
    assert "'To do'" in error.message
    assert "'Done'" in error.message


def test_what_the_board_says_names_columns_by_their_titles() -> None:
    value = Kanban().value(State(BOARD))
    assert isinstance(value, list)
    assert value[1] == {"id": "2", "text": "two", "status": "active", "column": "To do", "assignee": "ann"}


def test_board_steps_move_tasks_and_columns() -> None:
    state = step(State(BOARD), do="moveTask", id="3", column="a", index=1)
    assert columns(state) == {"To do": ["1", "3", "2"], "Done": []}
    state = step(state, do="addTask", text="x", column="b", index=0, assignee="bob")
    state = step(state, do="addTask", text="y", index=0)
    assert columns(state)["To do"] == ["n1", "1", "3", "2"]
    state = step(State(BOARD), do="addColumn", title="Later", index=1)
    assert list(columns(state)) == ["To do", "Later", "Done"]
    state = step(state, do="moveColumn", id="b", index=0)
    state = step(state, do="renameColumn", id="b", title="Finished")
    assert list(columns(state)) == ["Finished", "To do", "Later"]


def test_removing_a_column_moves_its_tasks_to_the_first_other_one_and_the_last_stays() -> None:
    state = step(State(BOARD), do="removeColumn", id="a")
    assert columns(state) == {"Done": ["1", "2", "3"]}
    assert refusal(lambda: step(state, do="removeColumn", id="b")).code is ErrorCode.INVALID_PARAMS


def test_a_task_is_assigned_and_unassigned() -> None:
    state = step(State(BOARD), do="updateTask", id="1", assignee="bob", text="uno")
    assert state.content["tasks"][0] == {
        "id": "1",
        "text": "uno",
        "status": "pending",
        "column": "a",
        "assignee": "bob",
    }
    state = step(state, do="updateTask", id="1", assignee=None)
    assert "assignee" not in state.content["tasks"][0]


def test_a_board_is_replaced_only_by_a_board_that_holds_together() -> None:
    stray = [{"id": "9", "text": "x", "status": "done", "column": "zz"}]
    for bad in ({"columns": BOARD["columns"], "tasks": stray}, {"columns": BOARD["columns"] * 2, "tasks": []}):
        assert refusal(partial(step, State(BOARD), do="replace", **bad)).code is ErrorCode.INVALID_PARAMS
    full = {**BOARD, "columns": [{"id": str(n), "title": "x"} for n in range(32)], "tasks": []}
    assert refusal(lambda: step(State(full), do="addColumn", title="x")).code is ErrorCode.QUOTA_EXCEEDED


# Sticky


def test_a_sticky_takes_words_up_to_its_limit_and_cuts_nothing() -> None:
    sticky = State({"color": "yellow"}, "old")
    assert Sticky().receive(sticky, "title", "new", ids()) == State({"color": "yellow"}, "new")
    assert Sticky().receive(sticky, "title", "", ids()).title is None
    error = refusal(lambda: Sticky().receive(sticky, "title", "x" * 121, ids()))
    assert error.code is ErrorCode.TOO_LARGE
    assert "titleChars" in error.message
    assert refusal(lambda: Sticky().receive(sticky, "title", "\ud83d", ids())).code is ErrorCode.INVALID_PARAMS
    assert edited(sticky, {"cardId": "c", "color": "rose", "title": None}) == State({"color": "rose"}, None)


# What holds for all

_words = st.text(alphabet="ab c", min_size=1, max_size=6)
_statuses = st.sampled_from(["pending", "active", "done", "error"])
_tasks = st.lists(
    st.fixed_dictionaries(
        {"text": _words},
        optional={
            "id": st.sampled_from(["1", "2", "n1", "x"]),
            "status": _statuses,
            "column": st.sampled_from(["To do", "b", "Nowhere"]),
            "assignee": _words,
        },
    ),
    max_size=6,
)
_FIRST: Mapping[str, State] = {
    "note": State({"text": ""}),
    "todo": State({"items": []}),
    "kanban": State(BOARD),
    "sticky": State({"color": "yellow"}),
}
_VALUES = {"ns:tasks": _tasks, "ns:markdown": st.text(max_size=20), "ns:text": st.text(max_size=20)}


@given(st.data())
def test_whatever_comes_in_what_goes_out_fits_the_output_and_leads_back(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(KINDS)))
    kind, ports = KINDS[name], BUILTIN_PORTS[name]
    state, new_id = _FIRST[name], ids()
    for _ in range(3):
        port = data.draw(st.sampled_from([port for port in ports.inputs if port.type in _VALUES]))
        value = data.draw(_VALUES[port.type])
        state = kind.receive(state, port.id, value, new_id)
    said = kind.value(state)
    assert check_value(ports.outputs[0], said) == []
    assert kind.value(kind.restored(state, said)) == said


@given(_tasks, _tasks)
def test_ids_stay_unique_whatever_is_added(first: list[Any], second: list[Any]) -> None:
    for kind, state in ((Todo(), items()), (Kanban(), State(BOARD))):
        new_id = ids()
        after = kind.receive(kind.receive(state, "add", first, new_id), "add", second, new_id)
        found = [task["id"] for task in after.content.get("items", after.content.get("tasks"))]
        assert len(found) == len(set(found))
