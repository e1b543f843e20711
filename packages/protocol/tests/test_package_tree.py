"""Which files fit together into a package, and the hash that names them."""

import hashlib

import pytest

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.package_tree import PackageTree, TreeLimits, tree_hash
from cardloom_protocol.paths import normalize_package_path, package_path_fault

SMALL = TreeLimits(files=3, file_bytes=10, total_bytes=25)


def refused(tree: PackageTree, path: str, size_bytes: int = 1) -> CallError:
    with pytest.raises(CallError) as refusal:
        tree.add(path, size_bytes)
    return refusal.value


def test_files_are_taken_in_and_counted() -> None:
    tree = PackageTree()
    assert tree.add("dist/index.html", 5) == "dist/index.html"
    tree.add("dist/assets/app.js", 7)
    assert (tree.files, tree.total_bytes) == (2, 12)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../evil", "'..'"),
        ("a/../../evil", "'..'"),
        ("/etc/passwd", "empty segment"),
        ("a//b", "empty segment"),
        ("a\\b", "backslash"),
        ("C:evil", "character"),
        ("a/nul.txt", "device name"),
        ("a/b.", "ends with a dot"),
        ("bell\x07", "character"),
        ("__ns/sdk.js", "__ns"),
        ("__NS/guard.js", "__ns"),
        ("x" * 241, "240"),
        ("/".join("a" * 21), "20"),
        ("", "empty"),
        ("a/", "folder"),
        ("half\ud800", "Unicode"),
    ],
)
def test_a_path_that_is_none_of_a_package_is_refused_and_says_why(path: str, why: str) -> None:
    error = refused(PackageTree(), path)
    assert error.code is ErrorCode.INVALID_PARAMS
    assert why in error.message
    assert isinstance(error.data, list)
    assert isinstance(error.data[0], dict)
    assert error.data[0]["path"] == f"/files/{path}"


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("a/b.js", "a/b.js", "twice"),
        ("a/b.js", "A/B.JS", "letter case"),
        ("stra\u00dfe", "STRASSE", "letter case"),
        ("caf\u00e9", "cafe\u0301", "letter case"),
        ("a", "a/b", "folder"),
        ("a/b", "a", "folder"),
        ("Lib", "lib/b", "folder"),
        ("lib/b", "Lib", "folder"),
    ],
)
def test_names_that_could_not_stand_side_by_side_on_every_disk_are_refused(first: str, second: str, why: str) -> None:
    tree = PackageTree()
    tree.add(first, 1)
    assert why in refused(tree, second).message


def test_a_folder_that_clashes_with_a_file_is_refused() -> None:
    tree = PackageTree()
    tree.add("lib", 1)
    with pytest.raises(CallError, match="folder"):
        tree.add_folder("LIB/")
    tree.add_folder("docs/")
    assert "folder" in refused(tree, "docs").message


def test_one_file_too_many_too_large_or_too_much_in_all_is_too_large() -> None:
    assert refused(PackageTree(SMALL), "big", 11).code is ErrorCode.TOO_LARGE
    for sizes in ((10, 10, 6), (0, 0, 0, 0)):
        tree = PackageTree(SMALL)
        *fitting, last = enumerate(sizes)
        for index, size_bytes in fitting:
            tree.add(f"file{index}", size_bytes)
        assert refused(tree, "last", last[1]).code is ErrorCode.TOO_LARGE


def test_the_hash_is_that_of_one_line_a_file_in_utf16_order() -> None:
    one, two, three = (hashlib.sha256(text).hexdigest() for text in (b"1", b"2", b"3"))
    files = {"\U00010000": one, "\uffff": two, "B": three}
    text = f"{three}  B\n{one}  \U00010000\n{two}  \uffff\n"
    assert tree_hash(files) == hashlib.sha256(text.encode()).hexdigest()
    assert tree_hash(dict(reversed(files.items()))) == tree_hash(files)


@pytest.mark.parametrize("path", ["a", "a/b/", "a\\b", "__ns", "", "a//b", "con", "x" * 241])
def test_a_path_has_a_fault_exactly_when_it_has_no_normal_form(path: str) -> None:
    assert (package_path_fault(path) is None) == (normalize_package_path(path) is not None)
