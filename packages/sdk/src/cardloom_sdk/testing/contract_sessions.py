"""The contract of backends: sessions, messages, branches, documents, models and profiles. See `backend_contract`."""

from __future__ import annotations

from typing import Any

from cardloom_protocol.session.capabilities import has

from .contract_subject import Subject, refused, scenario
from .store_steps import EVERY_PART


@scenario(62)
async def what_is_not_offered_is_refused_even_for_what_does_not_exist(subject: Subject) -> None:
    call = subject.client.call
    capabilities = await call("capabilities")
    beyond: dict[str, tuple[str, dict[str, Any]]] = {
        "rename": ("rename", {"title": "x"}),
        "fork": ("fork", {}),
        "sessionMeta": ("getMeta", {}),
        "edits.edit": ("editMessage", {"messageId": "m", "text": "x"}),
        "edits.delete": ("deleteMessage", {"messageId": "m"}),
        "edits.hide": ("hideMessage", {"messageId": "m", "hidden": True}),
        "swipes": ("swipe", {"messageId": "m", "index": 0}),
        "models": ("models", {}),
        "profiles": ("profiles", {}),
        "profiles.edit": ("getProfile", {"id": "x"}),
        "catalogs": ("catalog", {"kind": "tools"}),
        "workspace": ("workspace", {}),
        "workspace.files": ("files", {}),
        "workspace.files.write": ("deleteFile", {"path": "x"}),
        "services": ("callService", {"plugin": "p", "method": "m"}),
    }
    for capability, (name, given) in beyond.items():
        if not has(capabilities, capability):
            await refused("not_supported", call(name, sessionId="ghost", **given))


@scenario(47)
async def every_part_and_flag_comes_back(subject: Subject) -> None:
    session_id = await subject.session()
    flags = {"visible": False, "frozen": True}
    given = {"sessionId": session_id, "role": "assistant", "parts": EVERY_PART, "flags": flags, "name": "Bot"}
    message = await subject.client.call("append", **given)
    assert message["parts"] == EVERY_PART
    (read,) = await subject.history(session_id)
    assert (read["parts"], read["flags"], read["name"], read["role"]) == (EVERY_PART, flags, "Bot", "assistant")
    assert read == message


@scenario(50)
async def a_greeting_needs_no_run(subject: Subject) -> None:
    session_id = await subject.session()
    message = await subject.client.call("append", sessionId=session_id, role="assistant", text="Hello")
    assert message["role"] == "assistant"
    assert [one["id"] for one in await subject.history(session_id)] == [message["id"]]
    assert await subject.client.call("runs", sessionId=session_id) == []


@scenario(50)
async def what_cannot_be_stored_is_refused(subject: Subject) -> None:
    session_id, call = await subject.session(), subject.client.call
    await refused("bad_request", call("append", sessionId=session_id, role="system", text="x"))
    await refused("bad_request", call("append", sessionId=session_id, parts=[{"type": "file", "meta": {}}]))
    await refused("bad_request", call("append", sessionId=session_id, parts=["x"]))
    await refused("bad_request", call("append", sessionId=session_id, text="x", parentId="a", swipeOf="b"))
    await refused("invalid_id", call("append", sessionId=session_id, text="x", id="../x"))
    await refused("not_found", call("append", sessionId=session_id, text="x", parentId="ghost"))
    await refused("not_found", call("append", sessionId="ghost", text="x"))
    await refused("not_found", call("messages", sessionId="ghost"))
    await refused("not_found", call("get", sessionId="ghost"))
    await refused("invalid_id", call("get", sessionId=".."))
    assert await subject.history(session_id) == []


@scenario(50)
async def an_id_is_taken_once(subject: Subject) -> None:
    session_id = await subject.session(id="chosen")
    assert session_id == "chosen"
    await refused("conflict", subject.client.call("create", id="chosen"))
    await subject.client.call("append", sessionId=session_id, id="m1", text="x")
    await refused("conflict", subject.client.call("append", sessionId=session_id, id="m1", text="y"))


@scenario(50)
async def lists_go_on_page_by_page(subject: Subject) -> None:
    made = {await subject.session() for _ in range(3)}
    seen: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        page = await subject.client.call("list", limit=2, **cursor)
        seen += [info["id"] for info in page["sessions"]]
        if "cursor" not in page:
            break
        cursor = {"cursor": page["cursor"]}
    assert made <= set(seen)
    assert len(seen) == len(set(seen))
    await refused("bad_request", subject.client.call("list", limit=0))


@scenario(49, needs="edits.edit")
async def an_edit_of_what_changed_meanwhile_changes_nothing(subject: Subject) -> None:
    session_id, call = await subject.session(), subject.client.call
    message = await call("append", sessionId=session_id, text="one")
    place = {"sessionId": session_id, "messageId": message["id"]}
    edited = await call("editMessage", **place, text="two", ifMatch=message["hash"])
    assert edited["parts"] == [{"type": "text", "text": "two"}]
    await refused("conflict", call("editMessage", **place, text="three", ifHash=message["hash"]))
    await refused("bad_request", call("editMessage", **place, text="x", ifHash="a", ifMatch="b"))
    await refused("bad_request", call("editMessage", **place))
    assert await subject.history(session_id) == [edited]


@scenario(54, needs="edits.edit")
async def an_unknown_message_is_not_found(subject: Subject) -> None:
    session_id = await subject.session()
    await refused("not_found", subject.client.call("editMessage", sessionId=session_id, messageId="ghost", text="x"))


@scenario(55, needs="edits.delete")
async def children_of_a_deleted_message_stay(subject: Subject) -> None:
    session_id, call = await subject.session(), subject.client.call
    ids = [(await call("append", sessionId=session_id, text=text))["id"] for text in "abc"]
    await call("deleteMessage", sessionId=session_id, messageId=ids[1])
    assert [message["id"] for message in await subject.history(session_id)] == [ids[0], ids[2]]


@scenario(47, needs="edits.hide")
async def hiding_sets_a_flag_and_showing_clears_it(subject: Subject) -> None:
    session_id, call = await subject.session(), subject.client.call
    message = await call("append", sessionId=session_id, text="a")
    place = {"sessionId": session_id, "messageId": message["id"]}
    assert (await call("hideMessage", **place, hidden=True))["flags"] == {"disabled": True}
    assert "flags" not in await call("hideMessage", **place, hidden=False)
    await refused("bad_request", call("hideMessage", **place, hidden="yes"))


@scenario(51, needs="swipes")
async def a_second_greeting_is_a_second_root(subject: Subject) -> None:
    session_id, call = await subject.session(), subject.client.call
    first = await call("append", sessionId=session_id, role="assistant", text="one")
    second = await call("append", sessionId=session_id, role="assistant", text="two", swipeOf=first["id"])
    assert second["swipes"] == {"active": 1, "count": 2}
    assert [message["id"] for message in await subject.history(session_id)] == [second["id"]]


@scenario(52, 53, needs="swipes")
async def a_switched_branch_is_shown_to_its_end(subject: Subject) -> None:
    session_id, call = await subject.session(), subject.client.call
    first = await call("append", sessionId=session_id, text="one")
    below = await call("append", sessionId=session_id, role="assistant", text="below one")
    second = await call("append", sessionId=session_id, text="two", swipeOf=first["id"])
    place = {"sessionId": session_id, "messageId": second["id"]}
    clamped = await call("swipe", **place, dir="next")
    assert [message["id"] for message in clamped] == [second["id"]]
    back = await call("swipe", **place, dir="prev")
    assert [message["id"] for message in back] == [first["id"], below["id"]]
    assert await subject.history(session_id) == back
    again = await call("swipe", sessionId=session_id, messageId=first["id"], index=1)
    assert [message["id"] for message in again] == [second["id"]]
    await refused("bad_request", call("swipe", **place, dir="next", index=1))
    await refused("not_found", call("swipe", sessionId=session_id, messageId="ghost", index=0))


@scenario(54, needs="swipes")
async def an_alternative_to_nothing_is_not_found(subject: Subject) -> None:
    session_id = await subject.session()
    await refused("not_found", subject.client.call("append", sessionId=session_id, text="x", swipeOf="ghost"))
    assert await subject.history(session_id) == []


@scenario(53, needs="swipes")
async def a_branch_becomes_active(subject: Subject) -> None:
    session_id, call = await subject.session(), subject.client.call
    root = await call("append", sessionId=session_id, text="root")
    await call("append", sessionId=session_id, text="one")
    other = await call("append", sessionId=session_id, text="two", parentId=root["id"])
    assert [message["id"] for message in await subject.history(session_id)] == [root["id"], other["id"]]
    thread = await call("messages", sessionId=session_id, view="thread")
    assert [entry["depth"] for entry in thread] == [0, 1, 1]


@scenario(56, needs="fork")
async def a_fork_goes_its_own_way(subject: Subject) -> None:
    session_id, call = await subject.session(), subject.client.call
    ids = [(await call("append", sessionId=session_id, text=text))["id"] for text in "abc"]
    info = await call("fork", sessionId=session_id, messageId=ids[1])
    assert info["parentSessionId"] == session_id
    assert info["forkMessageId"] == ids[1]
    texts = [message["parts"][0]["text"] for message in await subject.history(info["id"])]
    assert texts == ["a", "b"]
    assert len(await subject.history(session_id)) == 3
    await refused("not_found", call("fork", sessionId=session_id, messageId="ghost"))


@scenario(47, needs="rename")
async def a_title_is_kept(subject: Subject) -> None:
    session_id = await subject.session(title="before")
    assert (await subject.client.call("rename", sessionId=session_id, title="after {x}"))["title"] == "after {x}"
    assert (await subject.client.call("get", sessionId=session_id))["title"] == "after {x}"


@scenario(61, needs="sessionMeta")
async def a_document_is_merged_by_the_rule(subject: Subject) -> None:
    session_id, call = await subject.session(meta={"k": 1, "prompt": {"pre": "a"}}), subject.client.call
    patched = await call("patchMeta", sessionId=session_id, document={"prompt": {"post": "x"}, "k": None, "n": [1]})
    assert patched == {"prompt": {"pre": "a", "post": "x"}, "n": [1]}
    assert await call("getMeta", sessionId=session_id) == patched
    assert await call("setMeta", sessionId=session_id, document={"only": True}) == {"only": True}
    assert await call("getMeta", sessionId=session_id) == {"only": True}


@scenario(47, needs="assets")
async def a_file_beside_the_session_comes_back(subject: Subject) -> None:
    session_id, call = await subject.session(), subject.client.call
    given = {"sessionId": session_id, "name": "a b.bin", "mime": "application/octet-stream"}
    ref = (await call("putAsset", **given, content=b"\x00\xff\x01"))["ref"]
    read = await call("getAsset", sessionId=session_id, ref=ref)
    assert read == b"\x00\xff\x01" or (read["encoding"], read["content"]) == ("base64", "AP8B")
    await refused("invalid_id", call("putAsset", **{**given, "name": "../x"}, content=b""))


@scenario(57, needs="models")
async def a_model_is_chosen_from_the_list(subject: Subject) -> None:
    call = subject.client.call
    models = await call("models")
    assert models
    session_id = await subject.session()
    info = await call("setModel", sessionId=session_id, model=models[0]["id"])
    assert info["model"]["model"] == models[0]["id"]
    assert (await call("get", sessionId=session_id))["model"]["model"] == models[0]["id"]
    await refused("not_found", call("setModel", sessionId=session_id, model="no such model"))
    level = {"model": models[0]["id"], "thinking": "no such level"}
    await refused("bad_request", call("setModel", sessionId=session_id, **level))


@scenario(57, 58, needs="profiles")
async def a_profile_is_embedded_or_chosen(subject: Subject) -> None:
    call = subject.client.call
    info = await call("create", profile={"id": "whatever", "name": "Mine", "prompt": {"pre": "p"}})
    assert info["profile"] == "inline"
    assert info["profileDoc"]["id"] == "inline"
    profiles = await call("profiles")
    chosen = profiles[0]["id"]
    after = await call("setProfile", sessionId=info["id"], profile=chosen)
    assert after["profile"] == chosen
    assert "profileDoc" not in after
    await refused("not_found", call("setProfile", sessionId=info["id"], profile="no-such-profile"))
    await refused("not_found", call("create", profile="no-such-profile"))


@scenario(59, 60, needs="profiles.edit")
async def a_profile_is_edited_and_keeps_what_the_editor_does_not_know(subject: Subject) -> None:
    call = subject.client.call
    first = {"id": "mine", "name": "Mine", "extra": {"color": "red"}}
    await call("saveProfile", id="mine", profile=first)
    saved = await call("saveProfile", id="mine", profile={"id": "mine", "name": "Renamed"})
    assert saved["extra"] == {"color": "red"}
    assert (await call("getProfile", id="mine"))["name"] == "Renamed"
    copy = await call("duplicateProfile", id="mine", newId="mine-2")
    assert copy["id"] == "mine-2"
    await refused("conflict", call("duplicateProfile", id="mine", newId="mine-2"))
    for bad in ("Bad Id", "inline", "default"):
        await refused("bad_request", call("saveProfile", id=bad, profile={"id": bad, "name": "x"}))
    await refused("bad_request", call("saveProfile", id="mine", profile={"id": "mine", "name": "x", "tools": 1}))
    for name in ("mine", "mine-2"):
        await call("deleteProfile", id=name)
    await refused("not_found", call("getProfile", id="mine"))


@scenario(62, needs="catalogs")
async def catalogues_are_lists(subject: Subject) -> None:
    for kind in ("tools", "skills", "extensions"):
        entries = await subject.client.call("catalog", kind=kind)
        assert all(isinstance(entry["id"], str) and isinstance(entry["name"], str) for entry in entries)
    await refused("bad_request", subject.client.call("catalog", kind="spells"))
