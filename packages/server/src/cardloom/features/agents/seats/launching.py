"""Makes one launch of an agent: its own folder of files, its environment, its command. Touches no user configuration.

Spec: harnesses, the one rule (user configuration is never written) and environment; decisions 28, 36.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from cardloom_protocol.ids import CardId

from ....host.environment import for_terminal
from ....host.pty import Launch as Command
from ..harnesses import posting
from ..harnesses.shape import Harness, LaunchSpec, LayerFile, McpServer, Version
from .seat import Beginning

POSTER: Final = (sys.executable, "-I", "-S", str(Path(posting.__file__)))
_MAX_BELOW_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Wish:
    """What a launch is asked for. `content` is the card's."""

    card_id: CardId
    content: Mapping[str, Any]
    folder: str
    program: str
    version: Version | None
    hook_url: str
    mcp: McpServer | None
    prompt: str | None = None
    fresh: bool = False


def prepare(harness: Harness, wish: Wish, layers: Path, environment: Mapping[str, str] = os.environ) -> Beginning:
    """Write the launch's files, readable by their owner alone, and give what starts it. OSError."""
    layer = layers / wish.card_id
    base = for_terminal(environment)
    session_id = None if wish.fresh or not harness.abilities.resume else wish.content.get("sessionId")
    spec = LaunchSpec(
        agent_id=wish.card_id,
        program=wish.program,
        cwd=wish.folder,
        layer=layer.as_posix(),
        new_session_id=str(uuid.uuid4()),
        hook_url=wish.hook_url,
        poster=POSTER,
        environment=base,
        session_id=session_id,
        model=wish.content.get("model"),
        prompt=wish.prompt if harness.abilities.first_prompt else None,
        dangerous=bool(wish.content.get("dangerous")),
        mcp=wish.mcp if harness.abilities.mcp else None,
        version=wish.version,
        arguments=tuple(wish.content.get("arguments") or ()),
        layer_is_roots=_is_roots(layer),
        layers_below=_texts(harness.reads(base)),
    )
    launch = harness.launch(spec)
    _write(layer, launch.files)
    made = {name: value for name, value in base.items() if name not in launch.unset}
    made |= {**launch.environment, "PWD": wish.folder}
    return Beginning(
        Command(launch.argv, wish.folder, made),
        session_id=launch.session_id,
        resumed=session_id is not None,
        prompt_given=launch.prompt_given,
        reviewed=launch.reviewed,
    )


def forget(card_id: CardId, layers: Path) -> None:
    """Delete an agent's own folder."""
    shutil.rmtree(layers / card_id, ignore_errors=True)


def _texts(paths: tuple[str, ...]) -> dict[str, str]:
    """What these files hold, without those that cannot be read."""
    texts: dict[str, str] = {}
    for path in paths:
        with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            texts[path] = file.read(_MAX_BELOW_BYTES)
    return texts


def _is_roots(folder: Path) -> bool:
    """Whether root owns the folder, as far as it is there, and all above it, and nobody else may write there."""
    above = [one.stat() for one in (folder, *folder.parents) if one.exists()]
    return os.name == "posix" and all(one.st_uid == 0 and not one.st_mode & 0o022 for one in above)


def _write(layer: Path, files: tuple[LayerFile, ...]) -> None:
    """Write the files that differ; a program that watches them is not woken for nothing."""
    layer.mkdir(mode=0o700, parents=True, exist_ok=True)
    for file in files:
        relative = PurePosixPath(file.path)
        if relative.is_absolute() or ".." in relative.parts:
            raise ValueError(f"a launch's file lies outside its folder: {file.path!r}")
        path = layer / relative
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = file.text.encode()
        if path.exists() and path.read_bytes() == text:
            continue
        fresh = path.with_name(f"{path.name}.new")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as written:
            written.write(text)
        os.replace(fresh, path)
