"""Makes packages that are installed, as their authors would."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from cardloom_protocol.package_tree import tree_hash

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
PAGE = "<!doctype html><title>Pantry</title>"


class Author:
    """Somebody who writes a package in a folder of their own."""

    def __init__(self, folder: Path, name: str = "pantry-watch", *, python: bool = False) -> None:
        self.folder = folder
        self.name = name
        self.python = python
        self.manifest_name = "cardloom-card.json" if python else "neurosquad-card.json"
        folder.mkdir(parents=True)
        self.write({"card.py": "print('hello')\n"} if python else {"dist/index.html": PAGE})
        self.describe()

    def write(self, files: dict[str, str | bytes | None]) -> None:
        """Write files; None removes one."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content.encode() if isinstance(content, str) else content)

    def describe(self, **fields: Any) -> None:
        """Write the manifest."""
        start = {"python": "card.py"} if self.python else {"entry": "dist/index.html"}
        whole = {
            "manifestVersion": 1,
            "protocol": 1,
            "name": self.name,
            "displayName": "Pantry Watch",
            "version": "1.0.0",
            "author": {"name": "Ann"},
            **start,
            **fields,
        }
        self.write({self.manifest_name: json.dumps(whole)})

    def pack(self, path: Path) -> Path:
        """The package as an archive with one folder at its top."""
        with tarfile.open(path, "w:gz") as archive:
            archive.add(self.folder, f"{self.name}-1")
        return path

    def commit(self, message: str = "change") -> str:
        """Commit everything, in a repository that is begun when there is none; gives the commit."""
        if not (self.folder / ".git").exists():
            self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", message)
        return self.git("rev-parse", "HEAD")

    def git(self, *arguments: str) -> str:
        return self.git_bytes(*arguments).decode().strip()

    def git_bytes(self, *arguments: str) -> bytes:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, check=True, capture_output=True
        ).stdout

    def tree_of(self, commit: str) -> str:
        """The hash of a commit's files."""
        names = self.git("ls-tree", "-r", "--name-only", commit).splitlines()
        contents = {name: self.git_bytes("show", f"{commit}:{name}") for name in names}
        return tree_hash({name: hashlib.sha256(content).hexdigest() for name, content in contents.items()})
