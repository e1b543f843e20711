"""Sessions, profiles, capabilities and envelopes."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom_protocol.session import (
    BadRequest,
    Conflict,
    InvalidId,
    NotFound,
    NotSupported,
    SessionError,
    check_profile_id,
    current_flags,
    error_from_wire,
    failure,
    has,
    has_sessions,
    inline_profile,
    is_profile_doc,
    opened,
    patched_meta,
    saved_profile,
    service_error_event,
    success,
    with_disabled,
)
from cardloom_protocol.session.services import ServiceEvent


def test_a_document_patch_merges_the_prompt_and_removes_what_is_null() -> None:
    document: dict[str, Any] = {"prompt": {"pre": "a", "post": "b"}, "k": 1, "deep": {"x": 1}}
    assert patched_meta(document, {"prompt": {"post": "x"}, "k": None, "deep": {"y": 2}}) == {
        "prompt": {"pre": "a", "post": "x"},
        "deep": {"y": 2},
    }


@pytest.mark.parametrize(
    ("patch", "after"),
    [
        ({"prompt": None}, {"n": None}),
        ({"prompt": {"pre": None}}, {"prompt": {"post": "b"}, "n": None}),
        ({"prompt": "text"}, {"prompt": "text", "n": None}),
        ({}, {"prompt": {"pre": "a", "post": "b"}, "n": None}),
    ],
)
def test_only_keys_of_the_patch_are_removed(patch: dict[str, Any], after: dict[str, Any]) -> None:
    document: dict[str, Any] = {"prompt": {"pre": "a", "post": "b"}, "n": None}
    assert patched_meta(document, patch) == after
    assert document == {"prompt": {"pre": "a", "post": "b"}, "n": None}


@pytest.mark.parametrize("value", [None, [], "inline", {}, {"id": "a"}, {"name": "A"}, {"id": 1, "name": "A"}])
def test_what_lacks_id_or_name_is_no_profile_document(value: object) -> None:
    assert not is_profile_doc(value)


def test_an_embedded_profile_is_called_inline_whatever_its_id_was() -> None:
    assert is_profile_doc({"id": "x", "name": ""})
    assert inline_profile({"name": "Bot", "tools": "none"}) == {"id": "inline", "name": "Bot", "tools": "none"}
    with pytest.raises(BadRequest):
        inline_profile({"id": "x"})


@pytest.mark.parametrize("profile_id", ["Bad Id", "", "a_b", "inline", "default", "a\n", None])
def test_a_profile_cannot_be_saved_under_such_an_id(profile_id: object) -> None:
    with pytest.raises(BadRequest):
        check_profile_id(profile_id)


def test_saving_a_profile_without_extra_keeps_the_stored_one() -> None:
    stored: Any = {"id": "a", "name": "A", "extra": {"k": "v"}}
    assert check_profile_id("a-1") == "a-1"
    assert saved_profile({"id": "a", "name": "B"}, stored) == {"id": "a", "name": "B", "extra": {"k": "v"}}
    assert saved_profile({"id": "a", "name": "B", "extra": {}}, stored) == {"id": "a", "name": "B", "extra": {}}
    assert saved_profile({"id": "a", "name": "B"}, None) == {"id": "a", "name": "B"}


@pytest.mark.parametrize(
    ("capabilities", "path", "there"),
    [
        ({"workspace": {"files": {}}}, "workspace.files", True),
        ({"workspace": {"files": {}}}, "workspace.files.write", False),
        ({"workspace": {"files": {"write": True}}}, "workspace.files.write", True),
        ({"workspace": True}, "workspace.files", False),
        ({"swipes": False}, "swipes", False),
        ({"swipes": None}, "swipes", False),
        ({"later": {"x": 1}}, "later.x", True),
        ({}, "models", False),
        (None, "models", False),
    ],
)
def test_a_capability_is_there_when_its_leaf_is(capabilities: Any, path: str, there: bool) -> None:
    assert has(capabilities, path) is there


@pytest.mark.parametrize(
    ("capabilities", "create", "delete"),
    [
        (None, True, True),
        ({}, True, True),
        ({"sessions": True}, True, True),
        ({"sessions": {}}, False, False),
        ({"sessions": {"create": True}}, True, False),
        ({"sessions": {"create": True, "delete": False}}, True, False),
        ({"sessions": False}, False, False),
        ({"sessions": None}, False, False),
    ],
)
def test_sessions_can_be_made_and_removed_unless_it_is_said_otherwise(
    capabilities: Any, create: bool, delete: bool
) -> None:
    assert (has_sessions(capabilities, "create"), has_sessions(capabilities, "delete")) == (create, delete)


def test_hiding_writes_the_new_flag_and_showing_removes_both() -> None:
    assert with_disabled({"hidden": True, "frozen": True}, False) == {"frozen": True}
    assert with_disabled(None, True) == {"disabled": True}
    assert with_disabled({"disabled": True}, False) is None
    assert current_flags({"hidden": True, "visible": False}) == {"disabled": True, "visible": False}
    assert current_flags({"hidden": False}) == {}


def test_an_envelope_opens_to_its_data_or_raises_its_error() -> None:
    assert opened(success([1])) == [1]
    assert opened({"ok": True, "value": 2}) == 2
    assert opened({"ok": True}) is None
    with pytest.raises(Conflict) as caught:
        opened(failure(Conflict("busy", {"runId": "r"})))
    assert (caught.value.message, caught.value.details) == ("busy", {"runId": "r"})


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("not_found", NotFound),
        ("conflict", Conflict),
        ("bad_request", BadRequest),
        ("invalid_id", InvalidId),
        ("not_supported", NotSupported),
        ("quota", SessionError),
    ],
)
def test_every_code_comes_back_as_it_went(code: str, kind: type[SessionError]) -> None:
    error = error_from_wire({"code": code, "message": "m"})
    assert type(error) is kind
    assert error.to_wire() == {"code": code, "message": "m"}


@pytest.mark.parametrize("envelope", [None, [], "x", {}, {"ok": False}, {"ok": False, "error": 5}, {"error": {}}])
def test_what_is_no_envelope_is_an_internal_error(envelope: object) -> None:
    with pytest.raises(SessionError) as caught:
        opened(envelope)
    assert caught.value.code == "internal"


def test_a_bare_error_is_read_as_a_refusal() -> None:
    with pytest.raises(NotFound):
        opened({"error": {"code": "not_found", "message": "gone"}})
    assert error_from_wire("just words").message == "just words"


def test_a_service_error_carries_a_code_only_when_it_is_a_text() -> None:
    class Coded(Exception):
        code = 5

    assert service_error_event(NotFound("gone")).to_wire() == {
        "name": "error",
        "payload": {"message": "gone", "code": "not_found"},
    }
    assert service_error_event(Coded("x")).to_wire() == {"name": "error", "payload": {"message": "x"}}
    assert ServiceEvent("tick").to_wire() == {"name": "tick"}
    assert ServiceEvent("tick", None).to_wire() == {"name": "tick", "payload": None}
    assert ServiceEvent("tick", {"n": 1}).to_frame() == 'event: tick\ndata: {"n":1}\n\n'
