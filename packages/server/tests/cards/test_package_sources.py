"""Where packages come from, as an owner types it, and the ids that places give."""

from __future__ import annotations

import pytest

from cardloom.features.cards.installed.source import Source, package_id_of, parse_source
from cardloom_protocol.errors import CallError, ErrorCode

COMMIT = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("/home/ann/pantry", Source("path", "/home/ann/pantry")),
        ("~/pantry", Source("path", "~/pantry")),
        ("C:\\work\\pantry", Source("path", "C:\\work\\pantry")),
        (" /home/ann/pantry.tar.gz ", Source("path", "/home/ann/pantry.tar.gz")),
        ("file:///home/ann/pantry", Source("path", "/home/ann/pantry")),
        ("acme/pantry", Source("git", "https://github.com/acme/pantry")),
        ("acme/pantry@v1.0.0", Source("git", "https://github.com/acme/pantry", "v1.0.0")),
        ("acme/many/cards/pantry@main", Source("git", "https://github.com/acme/many", "main", "cards/pantry")),
        (f"acme/pantry@{COMMIT}", Source("git", "https://github.com/acme/pantry", COMMIT)),
        ("https://git.example.org/acme/pantry.git", Source("git", "https://git.example.org/acme/pantry.git")),
        ("https://github.com/acme/pantry/", Source("git", "https://github.com/acme/pantry")),
        ("ssh://git@git.example.org:2222/acme/pantry", Source("git", "ssh://git@git.example.org:2222/acme/pantry")),
        ("git@github.com:acme/pantry.git", Source("git", "git@github.com:acme/pantry.git")),
        ("http://127.0.0.1:3000/acme/pantry", Source("git", "http://127.0.0.1:3000/acme/pantry")),
        ("https://example.org/a/pantry-1.tar.gz", Source("archive", "https://example.org/a/pantry-1.tar.gz")),
        ("https://example.org/pantry.tgz?x=1", Source("archive", "https://example.org/pantry.tgz?x=1")),
    ],
)
def test_paths_urls_and_the_short_form_are_understood(text: str, source: Source) -> None:
    assert parse_source(text) == source


def test_ref_folder_and_dev_can_be_given_beside() -> None:
    assert parse_source("acme/many", ref="v2", folder="cards/x/") == Source(
        "git", "https://github.com/acme/many", "v2", "cards/x"
    )
    assert parse_source("acme/many@v1", ref="v2").ref == "v2"
    assert parse_source("/home/ann/pantry", folder="x", dev=True) == Source("path", "/home/ann/pantry", None, "x", True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pantry",
        "./pantry",
        "../pantry",
        "-oProxyCommand=x",
        "a b",
        "acme/pantry@--upload-pack=x",
        "acme/pantry/../x",
        "acme/-/x@a b",
        "http://example.org/acme/pantry",
        "ftp://example.org/x",
        "ext::sh -c touch",
        "git://example.org/x",
        "file://example.org/x",
        "https://ann@example.org/x",
        "https://ann:secret@example.org/x",
        "ssh://git:secret@example.org/x",
        "https:///x",
        "https://-oProxyCommand=x/y",
        "https://[::1/x",
        "https://example.org/x?token=secret",
        "https://example.org/x\nfile:///etc",
        "git@-host:x/y",
    ],
)
def test_what_is_no_source_is_refused(text: str) -> None:
    with pytest.raises(CallError) as refusal:
        parse_source(text)
    assert refusal.value.code is ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("/a/pantry.tar.gz", {"ref": "main"}),
        ("https://example.org/pantry.tgz", {"ref": "main"}),
        ("/a/pantry", {"ref": "main", "dev": True}),
        ("acme/pantry", {"dev": True}),
        ("/a/pantry", {"folder": "../x"}),
        ("/a/pantry", {"folder": "/x"}),
        ("/a/pantry", {"ref": "a b"}),
    ],
)
def test_what_does_not_go_together_is_refused(text: str, more: dict[str, object]) -> None:
    with pytest.raises(CallError) as refusal:
        parse_source(text, **more)  # type: ignore[arg-type]
    assert refusal.value.code is ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize(
    ("text", "package_id"),
    [
        ("acme/pantry", "github:acme/pantry"),
        ("Acme/Pantry@v1", "github:acme/pantry"),
        ("https://github.com/acme/pantry.git", "github:acme/pantry"),
        ("git@github.com:acme/pantry.git", "github:acme/pantry"),
        ("ssh://git@ssh.github.com:443/acme/pantry.git", "github:acme/pantry"),
        ("acme/many/cards/Pantry@v1", "github:acme/many/cards/Pantry"),
    ],
)
def test_a_package_of_github_has_its_repository_for_an_id(text: str, package_id: str) -> None:
    assert package_id_of(parse_source(text), "pantry-watch") == package_id


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("/home/ann/pantry", "file:pantry-"),
        ("/home/ann/my pantry!", "file:my-pantry--"),
        ("/home/ann/pantry-1.0.0.tar.gz", "file:pantry-watch-"),
        ("https://example.org/x/pantry-1.tgz", "file:pantry-watch-"),
        ("https://git.example.org/acme/pantry.git", "file:pantry-"),
        ("https://github.com.example.org/acme/pantry", "file:pantry-"),
        ("https://example.org/github.com/acme/pantry", "file:pantry-"),
    ],
)
def test_other_places_give_a_name_and_a_hash_of_the_whole_place(text: str, begin: str) -> None:
    package_id = package_id_of(parse_source(text), "pantry-watch")
    assert package_id.startswith(begin)
    assert len(package_id) == len(begin) + 8
    assert package_id != package_id_of(parse_source(text, folder="cards/pantry"), "pantry-watch")
    assert package_id == package_id_of(parse_source(text), "pantry-watch")


def test_a_linked_folder_has_a_hash_alone() -> None:
    one, two = (package_id_of(parse_source(f"/home/ann/{name}", dev=True), "pantry") for name in ("a", "b"))
    assert one != two
    assert one.startswith("dev:")
    assert len(one) == 12


def test_a_source_reads_well_and_survives_being_stored() -> None:
    source = parse_source("acme/many/cards/x@v2")
    assert source.text == "github.com/acme/many (cards/x) @ v2"
    assert parse_source("/home/ann/pantry").text == "/home/ann/pantry"
    assert Source.from_wire(source.to_wire()) == source
