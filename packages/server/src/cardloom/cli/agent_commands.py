"""Commands about agents: their options, and nothing else. The work is in `agents`, for `attach` in `attach`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from .options import Json, TextCommand, run

agent = typer.Typer(help="Make, start and end agents, and see to the prompts that wait.", no_args_is_help=True)

AgentName = Annotated[str, typer.Argument(metavar="AGENT", help="An agent by id or unique name.")]
Workspace = Annotated[str | None, typer.Option("--workspace", "-w", help="A workspace by name or id.")]
Text = Annotated[str, typer.Argument(metavar="TEXT", help="The prompt; - reads standard input.")]


def add_to(app: typer.Typer) -> None:
    """Put the commands where people look for them."""
    app.add_typer(agent, name="agent")
    for command in (agents, prompt, answer, interrupt, attach, wait):
        app.command(cls=TextCommand)(command)


def agents(workspace: Workspace = None, json: Json = False) -> None:
    """List agents: what they do, since when, and what waits for you."""
    from .agents import list_agents

    run(lambda: list_agents(workspace), json)


def prompt(
    name: AgentName,
    text: Text,
    insert: Annotated[bool, typer.Option("--insert", help="Only put it into the input box.")] = False,
    when_busy: Annotated[
        Literal["queue", "send", "fail"], typer.Option("--when-busy", help="What to do while the agent works.")
    ] = "queue",
    follow: Annotated[bool, typer.Option("--wait", help="Wait for the end of the turn and print the reply.")] = False,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds to wait.")] = 3600,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Send a prompt to an agent."""
    from .agents import prompt as work

    run(lambda: work(name, text, workspace, when_busy, timeout, submit=not insert, follow=follow), json)


def answer(
    name: AgentName,
    choice: Annotated[
        Literal["approve", "always", "deny"] | None,
        typer.Argument(metavar="[approve|always|deny]", help="Without it, the open question is shown."),
    ] = None,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Answer the question that an agent asks."""
    from .agents import answer as work

    run(lambda: work(name, choice, workspace), json)


def interrupt(name: AgentName, workspace: Workspace = None, json: Json = False) -> None:
    """Interrupt an agent's turn."""
    from .agents import interrupt as work

    run(lambda: work(name, workspace), json)


def attach(name: AgentName, workspace: Workspace = None) -> None:
    """Show an agent's or a shell's terminal in this one. Ctrl-] leaves it; the program goes on."""
    from .attach import attach as work

    run(lambda: work(name, workspace), False)


def wait(
    name: AgentName,
    until: Annotated[
        str, typer.Option("--until", metavar="STATUS[,STATUS]", help="working, needs-input, finished, idle, exited.")
    ] = "finished",
    timeout: Annotated[int, typer.Option(min=1, help="Seconds to wait; then the exit code is 1.")] = 3600,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Wait until an agent has a status."""
    from .agents import wait as work

    run(lambda: work(name, until, workspace, timeout), json)


@agent.command()
def harnesses(again: Annotated[bool, typer.Option("--again", help="Look anew.")] = False, json: Json = False) -> None:
    """Tell which coding agents are installed here, and how to get the others."""
    from .agents import list_harnesses

    run(lambda: list_harnesses(again=again), json)


@agent.command()
def new(
    harness: Annotated[str, typer.Argument(metavar="HARNESS", help="Such as claude-code; see `agent harnesses`.")],
    title: Annotated[str | None, typer.Option("--title", help="The card's title.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="The model to use.")] = None,
    folder: Annotated[Path | None, typer.Option("--folder", help="Where it works. Default: the workspace.")] = None,
    worktree: Annotated[str | None, typer.Option("--worktree", metavar="BRANCH", help="In a git worktree.")] = None,
    first: Annotated[str | None, typer.Option("--prompt", help="The first prompt.")] = None,
    dangerous: Annotated[bool, typer.Option("--dangerous", help="Let it act without asking.")] = False,
    arguments: Annotated[
        list[str] | None, typer.Option("--argument", help="For plain commands and ACP agents; may be repeated.")
    ] = None,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Put an agent on the canvas and start it."""
    from .agents import new as work

    wishes = {
        "title": title,
        "model": model,
        "folder": None if folder is None else str(folder.absolute()),
        "worktree": None if worktree is None else {"branch": worktree},
        "prompt": first,
        "arguments": arguments,
    }
    run(lambda: work(harness, workspace, {**wishes, "dangerous": dangerous}), json)


@agent.command()
def start(
    name: AgentName,
    first: Annotated[str | None, typer.Option("--prompt", help="The first prompt.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="In a new session.")] = False,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Start an agent that does not run, in its last session."""
    from .agents import start as work

    run(lambda: work(name, first, workspace, fresh=fresh), json)


@agent.command()
def stop(name: AgentName, workspace: Workspace = None, json: Json = False) -> None:
    """End an agent's program."""
    from .agents import stop as work

    run(lambda: work(name, workspace), json)


@agent.command()
def queue(
    name: AgentName,
    cancel: Annotated[str | None, typer.Option("--cancel", metavar="ID", help="Take one away.")] = None,
    send: Annotated[str | None, typer.Option("--send", metavar="ID", help="Send one now.")] = None,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """List the prompts that wait for an agent."""
    from .agents import queue as work

    run(lambda: work(name, cancel, send, workspace), json)
