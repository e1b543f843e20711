"""What each operation of the table does to a host, whatever brought the request.

Requests arrive checked by the table; what goes beyond a single field is checked here. Spec: session protocol, routes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.call_table import SESSION_CALLS
from cardloom_protocol.session.calls import checked
from cardloom_protocol.session.capabilities import PROTOCOL_VERSION
from cardloom_protocol.session.errors import BadRequest
from cardloom_protocol.session.files import decode_file_content, file_content
from cardloom_protocol.session.json_text import JsonObject, as_json
from cardloom_protocol.session.model import NodePatch
from cardloom_protocol.session.operations import ProfilesOps
from cardloom_protocol.session.profiles import check_profile_id

from .answering import Answer, Handler, present
from .host import BackendHost, check_run_input
from .profile_fields import check_inline_profile, checked_profile
from .workspace_handlers import WORKSPACE_HANDLERS

T = TypeVar("T")


async def carry_out(host: BackendHost, name: str, given: Mapping[str, JsonValue]) -> Answer:
    """Does one operation. Capability first: without it, it does not matter what the request names."""
    call = SESSION_CALLS[name]
    if call.capability is not None:
        await host.require(call.capability)
    else:
        await host.start()
    asked = checked(call, given)
    answer = await HANDLERS[name](host, asked)
    for tell in host.answered:
        tell(name, asked, answer.data)
    return answer


async def _capabilities(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer({"protocol": PROTOCOL_VERSION, **cast(JsonObject, await host.capabilities())})


async def _health(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer({"status": "ok"})


# Sessions


async def _list(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    page = await host.backend.sessions.list(**given)
    found: JsonObject = {"sessions": as_json(page.sessions)}
    return Answer(found if page.cursor is None else {**found, "cursor": page.cursor})


async def _create(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    check_inline_profile(given)
    return Answer(as_json(await host.backend.sessions.create(cast(Any, dict(given)))))


async def _get(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await host.backend.sessions.get(given["sessionId"])))


async def _rename(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await host.backend.sessions.rename(given["sessionId"], given["title"])))


async def _delete(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    host.check_idle(given["sessionId"])
    await host.backend.sessions.delete(given["sessionId"])
    return Answer()


async def _messages(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    if given.get("view") == "thread":
        return Answer(as_json(await host.backend.sessions.thread(given["sessionId"])))
    return Answer(as_json(await host.backend.sessions.history(given["sessionId"])))


async def _append(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    if "swipeOf" in given:
        if "parentId" in given:
            raise BadRequest("swipeOf and parentId exclude each other.")
        await host.require("swipes")
    opts = {name: value for name, value in given.items() if name != "sessionId"}
    return Answer(as_json(await host.backend.sessions.append(given["sessionId"], cast(Any, opts))))


async def _edit_message(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    hashes = {given[name] for name in ("ifHash", "ifMatch") if name in given}
    if len(hashes) > 1:
        raise BadRequest("ifHash and If-Match differ.")
    patch = NodePatch(given.get("parts"), given.get("text"), hashes.pop() if hashes else None)
    if patch.is_empty:
        raise BadRequest("An edit needs parts or text.")
    return Answer(
        as_json(await host.backend.sessions.edit_message(given["sessionId"], given["messageId"], patch)),
    )


async def _delete_message(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    host.check_idle(given["sessionId"])  # what the run still says hangs below a message that is there
    await host.backend.sessions.delete_message(given["sessionId"], given["messageId"])
    return Answer()


async def _hide_message(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    sessions = host.backend.sessions
    return Answer(as_json(await sessions.hide_message(given["sessionId"], given["messageId"], given["hidden"])))


async def _swipe(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    if ("index" in given) == ("dir" in given):
        raise BadRequest("A swipe needs index or dir, not both.")
    step = {"next": 1, "prev": -1}.get(given.get("dir", ""), 0)
    sessions = host.backend.sessions
    path = await sessions.swipe(given["sessionId"], given["messageId"], index=given.get("index"), step=step)
    return Answer(as_json(path))


async def _fork(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await host.backend.sessions.fork(given["sessionId"], given.get("messageId"))))


async def _get_meta(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(await host.backend.sessions.get_meta(given["sessionId"]))


async def _patch_meta(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(await host.backend.sessions.patch_meta(given["sessionId"], given["document"]))


async def _set_meta(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(await host.backend.sessions.set_meta(given["sessionId"], given["document"]))


async def _put_asset(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    content = given["content"]  # bytes from HTTP, base64 from elsewhere
    data = content if isinstance(content, bytes) else decode_file_content(content, "base64")
    ref = await host.backend.sessions.put_asset(given["sessionId"], given["name"], data, given.get("mime"))
    return Answer({"ref": ref})


async def _get_asset(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    data = await host.backend.sessions.get_asset(given["sessionId"], given["ref"])
    return Answer(as_json(file_content(path=given["ref"], data=data, revision="")))


# Models, profiles, catalogues


async def _models(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await present(host.backend.models, "models").list()))


async def _set_model(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    model = {name: given[name] for name in ("model", "thinking") if name in given}
    return Answer(as_json(await present(host.backend.models, "models").set(given["sessionId"], cast(Any, model))))


def _profiles_of(host: BackendHost) -> ProfilesOps:
    return present(host.backend.profiles, "profiles")


async def _profiles(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await _profiles_of(host).list()))


async def _get_profile(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await _profiles_of(host).get(given["id"])))


async def _save_profile(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    profile_id, document = check_profile_id(given["id"]), given["profile"]
    if document.get("id", profile_id) != profile_id:
        raise BadRequest("The profile's id is not the one that it is saved under.")
    profile = checked_profile({**document, "id": profile_id})
    return Answer(as_json(await _profiles_of(host).save(profile)))


async def _delete_profile(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    await _profiles_of(host).delete(check_profile_id(given["id"]))
    return Answer()


async def _duplicate_profile(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    new_id = check_profile_id(given["newId"]) if "newId" in given else None
    return Answer(as_json(await _profiles_of(host).duplicate(given["id"], new_id)))


async def _set_profile(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    check_inline_profile(given)
    return Answer(as_json(await _profiles_of(host).set(given["sessionId"], given["profile"])))


async def _catalog(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    catalogs = present(host.backend.catalogs, "catalogs")
    match given["kind"]:
        case "tools":
            return Answer(as_json(await catalogs.tools()))
        case "skills":
            return Answer(as_json(await catalogs.skills()))
        case _:
            return Answer(as_json(await catalogs.extensions()))


# Runs and services


async def _run(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    check_inline_profile(given)
    check_run_input(cast(Any, given), may_continue=True)
    for name, capability in (("model", "models"), ("profile", "profiles"), ("swipeOf", "swipes")):
        if name in given:
            await host.require(capability)
    live = await host.start_run(cast(Any, dict(given)))
    return Answer(live.status())


async def _runs(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(host.runs_of(given["sessionId"])))


async def _run_status(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(host.run(given["runId"]).status())


async def _cancel(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    was_going_on = await host.cancel(given["runId"])
    return Answer(host.run(given["runId"]).status(), idle=not was_going_on)


async def _asks(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(host.run(given["runId"]).open_asks()))


async def _answer(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    answer = {name: given[name] for name in ("optionIds", "text", "cancelled") if name in given}
    return Answer(host.run(given["runId"]).answer(given["askId"], answer))


async def _call_service(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    services = present(host.backend.services, "services")
    return Answer(await services.call(given["plugin"], given["method"], given.get("args")))


HANDLERS: Final[Mapping[str, Handler]] = MappingProxyType(
    {
        "capabilities": _capabilities,
        "health": _health,
        "list": _list,
        "create": _create,
        "get": _get,
        "rename": _rename,
        "delete": _delete,
        "messages": _messages,
        "append": _append,
        "editMessage": _edit_message,
        "deleteMessage": _delete_message,
        "hideMessage": _hide_message,
        "swipe": _swipe,
        "fork": _fork,
        "getMeta": _get_meta,
        "patchMeta": _patch_meta,
        "setMeta": _set_meta,
        "putAsset": _put_asset,
        "getAsset": _get_asset,
        "models": _models,
        "setModel": _set_model,
        "profiles": _profiles,
        "getProfile": _get_profile,
        "saveProfile": _save_profile,
        "deleteProfile": _delete_profile,
        "duplicateProfile": _duplicate_profile,
        "setProfile": _set_profile,
        "catalog": _catalog,
        **WORKSPACE_HANDLERS,
        "run": _run,
        "runs": _runs,
        "runStatus": _run_status,
        "cancel": _cancel,
        "asks": _asks,
        "answer": _answer,
        "callService": _call_service,
    }
)
"""One function a row of the table; the streams `follow`, `watch` and `streamService` belong to the bindings."""
