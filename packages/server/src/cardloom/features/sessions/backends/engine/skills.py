"""Skills: folders with a `SKILL.md`, whose text joins the prompt of the profiles that name them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cardloom_protocol.session.profiles import CatalogSkill

FILE: Final = "SKILL.md"
_MAX_CHARS: Final = 64 * 1024
_HEAD: Final = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n?", re.DOTALL)
_FIELD: Final = re.compile(r"^(name|description):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


class Skills:
    """The skills in some folders. Of two with one id the first counts."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders

    def catalog(self) -> list[CatalogSkill]:
        """The skills that profiles may name. Waits for the disk."""
        found: dict[str, CatalogSkill] = {}
        for folder in self._folders:
            for path in sorted(folder.glob(f"*/{FILE}")):
                text = _read(path)
                if text is not None:
                    found.setdefault(path.parent.name, _described(path, text))
        return list(found.values())

    def texts(self, wanted: Sequence[str]) -> tuple[list[str], list[str]]:
        """The texts of these skills, by id or absolute path, and the names of those that are not there."""
        texts: list[str] = []
        missing: list[str] = []
        for name in wanted:
            text = next((text for path in self._paths(name) if (text := _read(path)) is not None), None)
            if text is None:
                missing.append(name)
            else:
                texts.append(_HEAD.sub("", text).strip())
        return texts, missing

    def _paths(self, name: str) -> list[Path]:
        given = Path(name)
        if given.is_absolute():
            return [given if given.name == FILE else given / FILE]
        if given.name != name:  # an id is one name, nothing that leads elsewhere
            return []
        return [folder / name / FILE for folder in self._folders]


def _read(path: Path) -> str | None:
    try:
        if not path.is_file():  # a pipe would keep its reader waiting
            return None
        with path.open(encoding="utf-8") as file:
            return file.read(_MAX_CHARS)
    except (OSError, ValueError):
        return None


def _described(path: Path, text: str) -> CatalogSkill:
    head = _HEAD.match(text)
    fields: dict[str, str] = dict(_FIELD.findall(head[1])) if head else {}
    skill: CatalogSkill = {"id": path.parent.name, "name": fields.get("name") or path.parent.name, "path": str(path)}
    if fields.get("description"):
        skill["description"] = fields["description"].strip("\"'")
    return skill
