"""What an author does with a card in a folder: begin it, check it, test it, pack it. No server is needed.

The checks are those of installing, so that what passes here is what an owner can install. Spec: cards, author tools.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, cast

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest.impersonation import impersonations
from cardloom_protocol.package_tree import too_large, tree_hash

from ..features.cards.installed.check import Checked, check_package
from ..features.cards.packages import FRAME_MANIFEST_NAME, MANIFEST_NAME, checked_manifest
from ..host.archive import Unpacked
from ..host.credentials import credential_in_content, credential_in_name
from ..host.folder_copy import take_folder
from ..host.packing import packed, write_new
from .card_react_template import sdk_archive
from .card_templates import Kind, card_files
from .console import EXIT_FAILED, Answer, UsageError
from .scripts import script_of

_NAME: Final = re.compile("[a-z][a-z0-9-]{1,47}")
_NO_TESTS: Final = 5  # pytest's exit code when it found none


def new_card(name: str, parent: Path, kind: Kind) -> Answer:
    """Write a new card into a folder of its name. UsageError: it cannot have that name, or the folder is there."""
    if _NAME.fullmatch(name) is None:
        told = "lower-case letters, digits and dashes, 2 to 48 of them, a letter first"
        raise UsageError(f"{name!r} cannot be a card's name: use {told}.")
    files = card_files(name, kind)
    raw = json.loads(files[MANIFEST_NAME if kind == "python" else FRAME_MANIFEST_NAME])
    for issue in impersonations(checked_manifest(raw, frame=kind != "python")):
        raise UsageError(f"{name!r} cannot be a card's name: {issue.message}")
    folder = parent / name
    try:
        folder.mkdir()
        for path, text in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
        if kind == "react":
            (folder / "vendor").mkdir()
            shutil.copy(sdk_archive(), folder / "vendor")
    except FileExistsError as error:
        raise UsageError(f"{folder} is there already; nothing in it was changed.") from error
    except OSError as error:
        raise CallError(ErrorCode.FS_ERROR, f"{folder} cannot be written: {error.strerror or error}") from error
    first = f"cd {name} && npm install && cardloom card dev ." if kind == "react" else f"cardloom card dev {name}"
    return Answer({"folder": str(folder), "files": list(files)}, f"{name} is begun. See it on a canvas: {first}")


def validate_card(folder: Path) -> Answer:
    """Check a folder as installing it would. INVALID_PARAMS with every fault as `{path, keyword, message}`."""
    taken, checked = _look(folder)
    data = {**_told(taken, checked), "warnings": [*checked.warnings, *taken.warnings]}
    return Answer(data, "\n".join((f"{_in_words(taken, checked)} can be installed.", *_warned(taken, checked))))


def pack_card(folder: Path, output: Path | None, *, dry_run: bool) -> Answer:
    """Pack a folder that can be installed. INVALID_PARAMS: faults, or files that look like credentials."""
    with tempfile.TemporaryDirectory(prefix="cardloom-pack-") as made:
        copy = Path(made)
        taken, checked = _look(folder, copy)  # packed is the copy that was checked, whatever happens to the folder
        _refuse_credentials(copy, taken)
        name, version = checked.manifest["name"], checked.manifest["version"]
        target = output or folder.resolve().parent / f"{name}-{version}.tar.gz"
        if target.resolve().is_relative_to(folder.resolve()):
            raise UsageError(f"{target} lies in the package and would become a part of it. Name a place outside.")
        content = packed(copy, taken.files, f"{name}-{version}")
    if len(content) > limit("tarballBytes"):
        raise too_large(f"the archive has {len(content)} bytes; it may have {limit('tarballBytes')}")
    if not dry_run:
        write_new(target, content)
    data = {**_told(taken, checked), "archive": str(target), "archiveBytes": len(content), "dryRun": dry_run}
    done = f"{target} would have" if dry_run else f"{target} has"
    lines = [f"{done} {len(content)} bytes: {_in_words(taken, checked)}.", f"Tree hash: {data['treeHash']}"]
    if dry_run:
        lines += [f"  {path}" for path in sorted(taken.files)]
    return Answer(data, "\n".join([*lines, *_warned(taken, checked)]))


def run_card_tests(folder: Path, *, as_json: bool) -> Answer:
    """Run a card's tests, with pytest or with its own script; the answer says whether they passed."""
    _, checked = _look(folder)
    if "python" not in checked.manifest:
        return _run_page_tests(folder, checked, as_json=as_json)
    if find_spec("pytest") is None:
        raise UsageError("pytest is not there. Install it into the environment that Cardloom runs in.")
    place = folder.resolve()
    paths = [str(place), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "--import-mode=importlib", "-p", "no:cacheprovider", "-q"]
    if find_spec("pytest_asyncio") is not None:
        command += ["-o", "asyncio_mode=auto"]
    # What pytest leaves behind would be packed: neither its cache nor bytecode is written.
    code = subprocess.run(
        [*command, str(place)], cwd=place, env=environment, stdout=sys.stderr if as_json else None, check=False
    ).returncode
    if code == _NO_TESTS:
        raise UsageError(f"{folder} has no tests. pytest looks for them in files named test_*.py.")
    return Answer({"passed": code == 0}, "", EXIT_FAILED if code else 0)


def _run_page_tests(folder: Path, checked: Checked, *, as_json: bool) -> Answer:
    """Run the script `test` of a page's package. UsageError where there is none, or nothing to run it with."""
    if not script_of(folder, "test"):
        raise UsageError(
            f"{checked.manifest['name']} is a page, and no package.json beside it has a script named test. Write its "
            "tests with MockHost from @cardloom/card-sdk/testing and let the script run them, with vitest for example."
        )
    npm = shutil.which("npm")
    if npm is None:
        raise UsageError("npm is not there; the tests of a page run with it.")
    output = sys.stderr if as_json else None
    code = subprocess.run([npm, "run", "--silent", "test"], cwd=folder, stdout=output, check=False).returncode
    return Answer({"passed": code == 0}, "", EXIT_FAILED if code else 0)


def _look(folder: Path, into: Path | None = None) -> tuple[Unpacked, Checked]:
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder.")
    try:
        taken = take_folder(folder, into)
        return taken, check_package(into or folder, taken.files)
    except OSError as error:
        raise CallError(ErrorCode.FS_ERROR, f"{folder} cannot be read: {error.strerror or error}") from error


def _refuse_credentials(root: Path, taken: Unpacked) -> None:
    faults: list[dict[str, str]] = []
    for path in sorted(taken.files):
        why = credential_in_name(path)
        if why is None and (what := credential_in_content((root / path).read_bytes())) is not None:
            why = f"it holds what looks like {what}"
        if why is not None:
            faults.append({"path": f"/files/{path}", "keyword": "credential", "message": why})
    if faults:
        names = ", ".join(fault["path"].removeprefix("/files/") for fault in faults[:3])
        message = f"nothing was packed, for the package would give away credentials: {names}"
        raise CallError(ErrorCode.INVALID_PARAMS, message, cast(JsonValue, faults))


def _told(taken: Unpacked, checked: Checked) -> dict[str, Any]:
    return {
        "name": checked.manifest["name"],
        "version": checked.manifest["version"],
        "kind": "python" if "python" in checked.manifest else "frame",
        "treeHash": tree_hash(taken.files),
        "files": sorted(taken.files),
        "totalBytes": taken.total_bytes,
    }


def _in_words(taken: Unpacked, checked: Checked) -> str:
    count = len(taken.files)
    files = "1 file" if count == 1 else f"{count} files"
    return f"{checked.manifest['name']} {checked.manifest['version']} ({files}, {taken.total_bytes} bytes)"


def _warned(taken: Unpacked, checked: Checked) -> list[str]:
    return [f"Mind: {warning}" for warning in (*checked.warnings, *taken.warnings)]
