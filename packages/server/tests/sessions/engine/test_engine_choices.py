"""Models, profiles, skills, MCP servers: what a session of the engine chooses, and what comes of it in a request."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.server.mcpserver import MCPServer

from cardloom.features.sessions.backends.engine.conversation import Offer
from cardloom.features.sessions.backends.engine.endpoint import Endpoint, EndpointSettings
from cardloom.features.sessions.backends.engine.mcp_tools import McpServers, McpSettings, named_apart
from cardloom.features.sessions.backends.engine.toolbox import Outcome, Tool
from cardloom_protocol.session import BadRequest, Conflict, JsonObject, NotFound, SessionError, has
from cardloom_sdk.backend import BackendHost

from ..run_trace import begun, history, new_session, ran
from .conftest import MakeEngine
from .memory_files import MemoryFiles
from .scripted_transport import Scripted, chat_call, chat_end, chat_words, endpoint, refused, streamed


def answering(*words: str) -> Scripted:
    return Scripted(*(streamed(*chat_words(word), *chat_end()) for word in words or ("ok",)))


def listed(*ids: str) -> httpx.Response:
    return httpx.Response(200, json={"data": [{"id": one} for one in ids]})


def system_of(transport: Scripted) -> str:
    found: str = transport.body()["messages"][0]["content"]
    return found


# Models


async def test_models_of_all_endpoints_are_listed_under_the_endpoints_name(engine_of: MakeEngine) -> None:
    here = Endpoint(EndpointSettings("here", "chat", "http://a.test/v1"), transport=Scripted(listed("x", "y")))
    there = Endpoint(EndpointSettings("there", "messages", "http://b.test/v1"), transport=Scripted(refused(401)))
    host = engine_of(here, there, default_model="here/y")
    models = host.backend.models
    assert models is not None
    found = await models.list()
    assert [model["id"] for model in found] == ["here/x", "here/y"]
    assert [model.get("default", False) for model in found] == [False, True]


async def test_models_that_nobody_can_list_are_an_error_and_not_an_empty_list(engine_of: MakeEngine) -> None:
    host = engine_of(Endpoint(EndpointSettings("e", "chat", "http://a.test"), transport=Scripted(refused(401))))
    assert host.backend.models is not None
    with pytest.raises(SessionError) as refusal:
        await host.backend.models.list()
    assert refusal.value.code == "model_unauthorized"


async def test_a_chosen_model_and_level_are_asked_for(engine_of: MakeEngine) -> None:
    transport = answering()
    host = engine_of(endpoint(transport))
    session = await new_session(host)
    assert host.backend.models is not None
    info = await host.backend.models.set(session, {"model": "test/m", "thinking": "high"})
    assert info["model"] == {"model": "test/m", "thinking": "high"}
    trace = await ran(host, session, "hello")
    assert (transport.body()["model"], transport.body()["reasoning_effort"]) == ("m", "high")
    assert trace.events[0]["model"] == {"model": "test/m", "thinking": "high"}


async def test_unknown_models_and_levels_are_refused(engine_of: MakeEngine) -> None:
    host = engine_of(endpoint(answering()))
    session = await new_session(host)
    assert host.backend.models is not None
    with pytest.raises(NotFound):
        await host.backend.models.set(session, {"model": "test/ghost"})
    with pytest.raises(BadRequest):
        await host.backend.models.set(session, {"model": "test/m", "thinking": "enormous"})
    with pytest.raises(NotFound):
        await begun(host, session, "hello", model={"model": "ghost/m"})
    assert await history(host, session) == []


# Profiles


async def test_a_profile_gives_model_prompt_and_tools(engine_of: MakeEngine) -> None:
    transport = answering()
    host = engine_of(endpoint(transport), files_of=lambda _workspace: (MemoryFiles(), True))
    profiles = host.backend.profiles
    assert profiles is not None
    await profiles.save(
        {
            "id": "poet",
            "name": "Poet",
            "model": "test/m",
            "thinking": "low",
            "systemPrompt": "You rhyme.",
            "tools": ["read_file"],
            "extra": {"temperature": "0.5"},
        }
    )
    session = await new_session(host, profile="poet")
    await ran(host, session, "hello")
    assert system_of(transport) == "You rhyme."
    assert [tool["function"]["name"] for tool in transport.body()["tools"]] == ["read_file"]
    assert (transport.body()["reasoning_effort"], transport.body()["temperature"]) == ("low", 0.5)


async def test_an_inline_profile_lives_in_the_session_until_one_is_chosen(engine_of: MakeEngine) -> None:
    transport = answering()
    host = engine_of(endpoint(transport))
    bot: dict[str, Any] = {"id": "mine", "name": "Bot", "systemPrompt": "You are Bot.", "tools": "none"}
    session = await new_session(host, profile=bot)
    info = await host.backend.sessions.get(session)
    assert (info["profile"], info["profileDoc"]["id"]) == ("inline", "inline")
    await ran(host, session, "hello")
    assert system_of(transport) == "You are Bot."
    assert host.backend.profiles is not None
    info = await host.backend.profiles.set(session, "default")
    assert info["profile"] == "default"
    assert "profileDoc" not in info


async def test_the_sessions_prompt_stands_around_the_environments(engine_of: MakeEngine) -> None:
    transport = answering()
    host = engine_of(endpoint(transport))
    session = await new_session(host)
    await host.backend.sessions.patch_meta(session, {"prompt": {"pre": "Before.", "post": "After."}})
    await ran(host, session, "one")
    assert system_of(transport).startswith("Before.\n\nYou help")
    assert system_of(transport).endswith("\n\nAfter.")
    await host.backend.sessions.patch_meta(session, {"prompt": {"mode": "replace"}})
    await ran(host, session, "two")
    assert system_of(transport) == "Before.\n\nAfter."
    await host.backend.sessions.patch_meta(session, {"prompt": {"pre": None}})
    await ran(host, session, "three")
    assert system_of(transport).startswith("You help")


async def test_profiles_are_edited_by_the_rules(engine_of: MakeEngine) -> None:
    host = engine_of(endpoint(answering()))
    profiles = host.backend.profiles
    assert profiles is not None
    await profiles.save({"id": "one", "name": "", "extra": {"voice": "low"}})
    assert (await profiles.save({"id": "one", "name": "One"}))["extra"] == {"voice": "low"}
    copy = await profiles.duplicate("one")
    assert (copy["id"], copy["name"]) == ("one-copy", "One 2")
    with pytest.raises(Conflict):
        await profiles.duplicate("one", "one-copy")
    for wrong in ("Bad Id", "inline", "default", "../x"):
        with pytest.raises(BadRequest):
            await profiles.save({"id": wrong, "name": "x"})
    assert [info["id"] for info in await profiles.list()] == ["default", "one", "one-copy"]
    await profiles.delete("one")
    for gone in (profiles.get("one"), profiles.delete("one"), profiles.duplicate("one")):
        with pytest.raises(NotFound):
            await gone


async def test_copies_of_profiles_are_numbered_and_one_without_a_name_stays_so(engine_of: MakeEngine) -> None:
    profiles = engine_of(endpoint(answering())).backend.profiles
    assert profiles is not None
    await profiles.save({"id": "one", "name": "One"})
    await profiles.save({"id": "other", "name": "One 3"})
    await profiles.save({"id": "nameless", "name": ""})
    names = [(await profiles.duplicate(of))["name"] for of in ("one", "one-copy", "other", "nameless", "default")]
    assert names == ["One 2", "One 4", "One 5", "", "Default 2"]


async def test_a_profile_whose_id_no_file_can_have_is_refused(engine_of: MakeEngine) -> None:
    profiles = engine_of(endpoint(answering())).backend.profiles
    assert profiles is not None
    longest = "a" * 200
    await profiles.save({"id": longest, "name": "Long"})
    assert [info["id"] for info in await profiles.list()] == ["default", longest]
    too_long = longest + "a"
    for call in (
        profiles.save({"id": too_long, "name": "x"}),
        profiles.get(too_long),
        profiles.delete(too_long),
        profiles.duplicate(too_long),
        profiles.duplicate(longest),
        profiles.duplicate(longest, too_long),
    ):
        with pytest.raises(BadRequest, match="at most 200 characters"):
            await call


async def test_a_broken_profile_file_harms_only_itself(engine_of: MakeEngine, tmp_path: Path) -> None:
    host = engine_of(endpoint(answering()))
    assert host.backend.profiles is not None
    await host.backend.profiles.save({"id": "good", "name": "Good"})
    folder = tmp_path / "profiles"
    for name, text in (("bad", '{"name": '), ("wrong", '{"name": "W", "skills": 5}'), ("No Id", '{"name": "N"}')):
        (folder / f"{name}.json").write_text(text)
    (folder / "folder.json").mkdir()
    os.mkfifo(folder / "pipe.json")
    async with asyncio.timeout(60):
        assert [info["id"] for info in await host.backend.profiles.list()] == ["default", "good"]
        for name in ("bad", "wrong", "folder", "pipe"):
            with pytest.raises(NotFound):
                await host.backend.profiles.get(name)
        with pytest.raises(SessionError) as refused:  # a folder stands in its place
            await host.backend.profiles.save({"id": "folder", "name": "F"})
    assert (refused.value.code, str(tmp_path) in refused.value.message) == ("unavailable", False)
    assert [path.name for path in folder.iterdir() if "folder.json." in path.name] == []


# Skills


async def test_skills_join_the_prompt_of_profiles_that_name_them(engine_of: MakeEngine, tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "sums"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: Sums\ndescription: adds up\n---\nAdd carefully.")
    (tmp_path / "secret").write_text("not for anybody")
    transport = answering()
    host = engine_of(endpoint(transport), skills=[tmp_path / "skills"])
    assert host.backend.catalogs is not None
    found = await host.backend.catalogs.skills()
    assert [(one["id"], one["name"], one["description"]) for one in found] == [("sums", "Sums", "adds up")]
    session = await new_session(
        host, profile={"id": "x", "name": "x", "skills": ["sums", "gone", str(tmp_path / "secret")]}
    )
    trace = await ran(host, session, "hello")
    assert "Add carefully." in system_of(transport)
    assert "not for anybody" not in system_of(transport)
    assert len([event for event in trace.of("activity") if event["kind"] == "warning"]) == 2


# MCP servers


def sums_server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("sums")

    @server.tool()
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @server.tool()
    def fail() -> str:
        """Fail."""
        raise ValueError("out of numbers")

    return server


def with_sums(engine_of: MakeEngine, *answers: httpx.Response) -> tuple[BackendHost, Scripted]:
    transport = Scripted(*answers)
    servers = McpServers([McpSettings("sums"), McpSettings("gone", ("/no/such/program",))], {"sums": sums_server()})
    return engine_of(endpoint(transport), mcp=servers), transport


async def test_tools_of_an_mcp_server_are_asked_for_and_called(engine_of: MakeEngine) -> None:
    host, transport = with_sums(
        engine_of, streamed(*chat_call("sums__add", '{"a": 2, "b": 3}')), streamed(*chat_words("5"), *chat_end())
    )
    session = await new_session(host)
    trace = await begun(host, session, "add")
    asked = await trace.answer(optionIds=["allow_once"])
    assert asked["data"] == {"tool": "sums__add", "arguments": {"a": 2, "b": 3}}
    assert (await trace.end())["status"] == "done"
    assert transport.body()["messages"][-1]["content"] == "5"
    warnings = [event["text"] for event in trace.of("activity") if event["kind"] == "warning"]
    assert len(warnings) == 1
    assert "gone" in warnings[0]


def test_tools_that_would_have_one_name_are_named_apart() -> None:
    async def call(arguments: JsonObject) -> Outcome:
        return Outcome("")

    names = ["a", "b", "a", "a_2", "a", "x" * 64, "x" * 64]
    found = [tool.name for tool in named_apart([Tool(Offer(name, "", {}), call, "mcp:m") for name in names])]
    assert found == ["a", "b", "a_3", "a_2", "a_4", "x" * 64, "x" * 60 + "_2"]


async def test_a_failing_mcp_tool_is_a_result(engine_of: MakeEngine) -> None:
    host, transport = with_sums(
        engine_of, streamed(*chat_call("sums__fail", "{}")), streamed(*chat_words("oh"), *chat_end())
    )
    session = await new_session(host)
    trace = await begun(host, session, "fail")
    await trace.answer(optionIds=["allow_always"])
    assert (await trace.end())["status"] == "done"
    assert "Error executing tool fail" in transport.body()["messages"][-1]["content"]


async def test_catalogues_list_tools_and_servers_and_a_profile_chooses_among_them(engine_of: MakeEngine) -> None:
    host, transport = with_sums(engine_of, streamed(*chat_words("ok"), *chat_end()))
    catalogs = host.backend.catalogs
    assert catalogs is not None
    assert {tool["id"]: tool["source"] for tool in await catalogs.tools()} == {
        "sums__add": "mcp:sums",
        "sums__fail": "mcp:sums",
    }
    assert [one["id"] for one in await catalogs.extensions()] == ["sums", "gone"]
    session = await new_session(host, profile={"id": "x", "name": "x", "extensions": []})
    await ran(host, session, "hello")
    assert "tools" not in transport.body()


async def test_a_program_as_mcp_server_lives_until_the_engine_ends(engine_of: MakeEngine, tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    program.write_text(
        "from mcp.server.mcpserver import MCPServer\n"
        "server = MCPServer('words')\n"
        "@server.tool()\n"
        "def shout(text: str) -> str:\n"
        "    return text.upper()\n"
        "server.run()\n"
    )
    transport = Scripted(
        streamed(*chat_call("words__shout", json.dumps({"text": "hey"}))), streamed(*chat_words("ok"), *chat_end())
    )
    servers = McpServers([McpSettings("words", (sys.executable, str(program)), asks=False)])
    host = engine_of(endpoint(transport), mcp=servers)
    trace = await ran(host, await new_session(host), "shout")
    assert trace.events[-1]["status"] == "done"
    assert transport.body()["messages"][-1]["content"] == "HEY"


async def test_capabilities_say_what_is_there(engine_of: MakeEngine) -> None:
    capabilities = await engine_of(endpoint(answering())).capabilities()
    for there in ("models", "profiles.edit", "catalogs", "swipes", "fork", "run.ask", "run.cancel", "edits.hide"):
        assert has(capabilities, there), there
    assert not has(capabilities, "workspace")
    assert not has(capabilities, "services")
