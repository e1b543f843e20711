"""Files of a workspace: paths, content, sizes, kinds, and what is ignored."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cardloom_protocol.session import (
    DEFAULT_FILE_READ_MAX_BYTES,
    FileBadRequest,
    FileBadRequestError,
    FileConflictError,
    FileNotFoundError,
    check_file_read_size,
    decode_file_content,
    file_content,
    file_mime,
    file_name,
    is_ignored_path,
    is_trash_path,
    match_gitignore,
    normalize_file_path,
    parent_file_path,
    parse_gitignore,
    trash_path,
)


@pytest.mark.parametrize("path", ["", ".", "./", "./."])
def test_the_root_has_the_empty_path(path: str) -> None:
    assert normalize_file_path(path) == ""


@pytest.mark.parametrize(
    ("path", "clean"),
    [("a", "a"), ("./a", "a"), ("a/", "a"), ("a//b", "a/b"), ("a/./b", "a/b"), ("./a//b/./c/", "a/b/c")],
)
def test_a_path_is_written_one_way(path: str, clean: str) -> None:
    assert normalize_file_path(path) == clean


@pytest.mark.parametrize("path", ["...", "..a", "a..", ".git", "a b", "имя", "%2e%2e/a", "~", "~/a", " a ", "..a/..."])
def test_nothing_in_a_path_is_decoded_or_trimmed(path: str) -> None:
    assert normalize_file_path(path) == path


@pytest.mark.parametrize(
    "path",
    ["..", "a/..", "a/../b", "../a", "/", "/a", "//a", "a\\b", "\\", "a\0b", "a\0", "C:/x", "c:", None, 5, b"a", ["a"]],
)
def test_a_path_that_leads_out_is_refused(path: object) -> None:
    with pytest.raises(FileBadRequest) as caught:
        normalize_file_path(path)
    assert caught.value.code == "bad_request"


def test_the_errors_of_files_have_the_names_and_codes_of_the_protocol() -> None:
    assert FileBadRequestError("x").code == "bad_request"
    assert FileNotFoundError("x").code == "not_found"
    assert FileConflictError("x").code == "conflict"


@pytest.mark.parametrize(("path", "parent"), [("a/b/c", "a/b"), ("a/b", "a"), ("a", ""), ("", "")])
def test_a_path_has_a_parent(path: str, parent: str) -> None:
    assert parent_file_path(path) == parent
    assert file_name(path) == path[len(parent) :].lstrip("/")


@pytest.mark.parametrize(
    ("path", "inside"),
    [(".nr-trash", True), (".nr-trash/x", True), (".nr-trashed", False), ("a/.nr-trash", False), ("", False)],
)
def test_the_trash_is_a_folder_of_the_root(path: str, inside: bool) -> None:
    assert is_trash_path(path) is inside


def test_a_deleted_path_lies_in_the_trash_under_its_own_name() -> None:
    assert trash_path("a/b.txt", "20260101T000000Z", "k3") == ".nr-trash/20260101T000000Z-k3/a/b.txt"
    assert is_trash_path(trash_path("a", "s", "r"))


def content_of(data: bytes) -> tuple[str, str]:
    content = file_content(path="a.txt", data=data, revision="r")
    return content["content"], content["encoding"]


def test_text_is_given_as_text_with_its_byte_order_mark() -> None:
    assert content_of(b"\xef\xbb\xbfhi\r\n") == ("\ufeffhi\r\n", "utf8")
    assert content_of(b"") == ("", "utf8")
    assert file_content(path="a.md", data=b"x", revision="r1") == {
        "path": "a.md",
        "content": "x",
        "encoding": "utf8",
        "revision": "r1",
        "size": 1,
        "mime": "text/markdown",
    }


@pytest.mark.parametrize("data", [b"a\x00b", b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf0\x9f\x98", b"\xe2\x82"])
def test_what_is_no_text_is_given_as_base64(data: bytes) -> None:
    content, encoding = content_of(data)
    assert encoding == "base64"
    assert decode_file_content(content, encoding) == data


def test_every_content_comes_back_byte_for_byte() -> None:
    source = random.Random(3)
    for length in range(80):
        data = source.randbytes(length)
        assert decode_file_content(*content_of(data)) == data
        text = "".join(source.choice("a\né\ufeff😀\r\u2028") for _ in range(length)).encode()
        assert decode_file_content(*content_of(text)) == text


@pytest.mark.parametrize(
    ("content", "encoding", "data"),
    [
        ("YQ", "base64", b"a"),
        (" Y\nQ= =", "base64", b"a"),
        ("", "base64", b""),
        ("\ufeffx", "utf-8", b"\xef\xbb\xbfx"),
        ("a\r\n", "utf8", b"a\r\n"),
    ],
)
def test_content_is_read_kindly(content: str, encoding: str, data: bytes) -> None:
    assert decode_file_content(content, encoding) == data


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("!", "base64"),
        ("YQ=", "base64"),
        ("Y", "base64"),
        ("YQ==YQ==", "base64"),
        ("Y_-Q", "base64"),
        ("é", "base64"),
        ("\ud800", "utf8"),
        ("x", "latin1"),
        ("x", None),
        (5, "utf8"),
        (b"x", "utf8"),
    ],
)
def test_content_that_cannot_be_read_is_refused(content: object, encoding: object) -> None:
    with pytest.raises(FileBadRequest):
        decode_file_content(content, encoding)


def test_a_file_of_the_limit_passes_and_a_larger_one_names_its_size() -> None:
    assert DEFAULT_FILE_READ_MAX_BYTES == 2 * 1024 * 1024
    check_file_read_size("a", DEFAULT_FILE_READ_MAX_BYTES)
    with pytest.raises(FileBadRequest) as caught:
        check_file_read_size("big.bin", 11, 10)
    assert "big.bin" in caught.value.message
    assert caught.value.details == {"size": 11, "maxBytes": 10}


@pytest.mark.parametrize(
    ("path", "mime"),
    [
        ("a/b.PNG", "image/png"),
        ("x.json", "application/json"),
        ("x.tar.gz", "application/gzip"),
        ("main.py", "text/x-python"),
        (".env", None),
        ("Makefile", None),
        ("a.b/c", None),
        ("x.unheard", None),
        ("x.", None),
        ("", None),
    ],
)
def test_a_kind_is_told_by_the_last_extension(path: str, mime: str | None) -> None:
    assert file_mime(path) == mime


# Ignored paths


def ignored(path: str, *, is_dir: bool = False, **rules: str) -> bool:
    parsed = {folder.removeprefix("root"): parse_gitignore(text) for folder, text in rules.items()}
    return is_ignored_path(path, is_dir, parsed.get)


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        (".git", True),
        (".git/config", True),
        ("a/.git/x", True),
        ("a/node_modules/x", True),
        (".nr-trash/x", True),
        ("a/.nr-trash/x", False),
        (".gitignore", False),
        ("", False),
    ],
)
def test_some_paths_are_always_ignored(path: str, verdict: bool) -> None:
    assert ignored(path) is verdict


def test_the_root_is_never_ignored() -> None:
    assert not ignored("", is_dir=True, root="*\n")


@pytest.mark.parametrize(
    ("pattern", "path", "verdict"),
    [
        ("[]a]", "]", True),
        ("[!]a]", "b", True),
        ("[^a]", "b", True),
        ("[a-c]x", "bx", True),
        ("[a-]", "-", True),
        ("[\\]]", "]", True),
        ("a[", "a[", False),
        ("\ufeffa", "a", True),
        ("a/**", "a/b/c", True),
        ("**/a/**", "x/a/y", True),
        ("a/**/**/b", "a/b", True),
        ("/", "a", False),
        ("!", "a", False),
        ("a//b", "a/b", False),
        ("*.py[co]", "x/y.pyc", True),
    ],
)
def test_patterns_at_the_edge_of_the_notation(pattern: str, path: str, verdict: bool) -> None:
    assert ignored(path, root=pattern) is verdict


def test_a_pattern_made_to_be_slow_is_not() -> None:
    rules = parse_gitignore("*a" * 200 + "b\n" + "/**" * 40 + "/b\n")
    path = "/".join(["a" * 200] * 40)
    assert match_gitignore(rules, path, False) is None


def test_no_rules_say_nothing() -> None:
    assert match_gitignore([], "a", False) is None
    assert match_gitignore(parse_gitignore("!a\n"), "a", False) is False
    assert match_gitignore(parse_gitignore("a/\n"), "a", False) is None


def test_rules_are_asked_for_each_folder_on_the_way_only() -> None:
    asked: list[str] = []

    def rules_of(folder: str) -> Any:
        asked.append(folder)
        return None

    assert not is_ignored_path("a/b/c", False, rules_of)
    assert asked == ["", "a", "a/b"]
