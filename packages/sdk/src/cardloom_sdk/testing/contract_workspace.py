"""The contract of backends: workspaces, their files, and services. See `backend_contract`."""

from __future__ import annotations

from .contract_subject import Subject, refused, scenario


@scenario(77, needs="workspace.files.write")
async def a_write_over_what_changed_meanwhile_is_refused(subject: Subject) -> None:
    call = subject.client.call
    entry = await call("writeFile", path="notes/a.txt", content="one", ifRevision=None)
    assert (entry["path"], entry["type"], entry["size"]) == ("notes/a.txt", "file", 3)
    await refused("conflict", call("writeFile", path="notes/a.txt", content="x", ifRevision=None))
    await refused("conflict", call("writeFile", path="notes/a.txt", content="x", ifRevision="stale"))
    await call("writeFile", path="notes/a.txt", content="two", ifRevision=entry["revision"])
    assert (await call("readFile", path="./notes//a.txt"))["content"] == "two"
    await call("deleteFile", path="notes")


@scenario(78, needs="workspace.files.write")
async def what_is_deleted_lies_in_the_trash(subject: Subject) -> None:
    call = subject.client.call
    await call("writeFile", path="gone.txt", content="x")
    await call("deleteFile", path="gone.txt")
    names = [entry["name"] for entry in await call("files")]
    assert "gone.txt" not in names
    assert ".nr-trash" in names
    await refused("not_found", call("statFile", path="gone.txt"))
    (stamp,) = [entry["path"] for entry in await call("files", path=".nr-trash")][-1:]
    await call("deleteFile", path=stamp)
    await refused("not_found", call("statFile", path=stamp))


@scenario(79, needs="workspace.files.write")
async def paths_stay_inside(subject: Subject) -> None:
    call = subject.client.call
    for bad in ("../x", "/etc/passwd", "a/../../x", "a\\b", "C:/x"):
        await refused("bad_request", call("readFile", path=bad))
        await refused("bad_request", call("writeFile", path=bad, content="x"))
        await refused("bad_request", call("deleteFile", path=bad))
    await refused("bad_request", call("deleteFile", path="./"))
    await refused("bad_request", call("writeFile", path="a.bin", content="!", encoding="base64"))


@scenario(77, needs="workspace.files.write")
async def bytes_come_back_and_too_many_are_refused_with_their_number(subject: Subject) -> None:
    call = subject.client.call
    await call("writeFile", path="b.bin", content="AP8=", encoding="base64")
    read = await call("readFile", path="b.bin")
    assert (read["encoding"], read["content"]) == ("base64", "AP8=")
    error = await refused("bad_request", call("readFile", path="b.bin", maxBytes=1))
    assert error.details == {"size": 2, "maxBytes": 1}
    await call("deleteFile", path="b.bin")


@scenario(78, needs="workspace.files.write")
async def a_move_does_not_overwrite(subject: Subject) -> None:
    call = subject.client.call
    await call("writeFile", path="from.txt", content="x")
    await call("writeFile", path="taken.txt", content="y")
    await refused("conflict", call("renameFile", **{"from": "from.txt", "to": "taken.txt"}))
    await refused("bad_request", call("renameFile", **{"from": "from.txt", "to": "from.txt/inside"}))
    await refused("not_found", call("renameFile", **{"from": "ghost.txt", "to": "x.txt"}))
    moved = await call("renameFile", **{"from": "from.txt", "to": "dir/to.txt"})
    assert moved["path"] == "dir/to.txt"
    for path in ("dir", "taken.txt"):
        await call("deleteFile", path=path)


@scenario(80, needs="workspace.files.write workspace.files.watch")
async def changes_are_told_until_nobody_listens(subject: Subject) -> None:
    call = subject.client.call
    watch = subject.client.watch()
    assert await anext(watch) == {"type": "workspace_update", "paths": [""]}
    await call("writeFile", path="watched.txt", content="x")
    seen: set[str] = set()
    while not seen & {"watched.txt", ""}:
        seen |= set((await anext(watch))["paths"])
    close = getattr(watch, "aclose", None)
    if close is not None:
        await close()
    await call("deleteFile", path="watched.txt")


@scenario(62, needs="workspace")
async def the_workspace_in_use_is_one_of_the_list(subject: Subject) -> None:
    call = subject.client.call
    current = await call("workspace")
    listed = [workspace["id"] for workspace in await call("workspaces")]
    assert current["id"] in listed
    await refused("not_found", call("switchWorkspace", id="no such workspace"))
    for workspace_id in [*listed, current["id"]]:
        assert (await call("switchWorkspace", id=workspace_id))["id"] == workspace_id


@scenario(81, needs="services")
async def an_unknown_service_is_not_supported(subject: Subject) -> None:
    for plugin in ("no-such-plugin", "constructor", "__proto__"):
        await refused("not_supported", subject.client.call("callService", plugin=plugin, method="x"))
