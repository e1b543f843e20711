"""What becomes of a package's file on its way into a frame: types, and the guard in everything that can run."""

from __future__ import annotations

import base64
import hashlib

import pytest

from cardloom.transport.frame_content import served
from cardloom.transport.frame_policy import FRAME_HEADERS, frame_policy
from cardloom.transport.guard import GUARD

TAG = '<script src="/frames/T/__ns/guard.js"></script>'


def page(text: str | bytes, name: str = "index.html") -> tuple[str, tuple[str, ...]]:
    """A page as a frame gets it, and the sources that its policy allows beside its own files."""
    file = served(name, text.encode() if isinstance(text, str) else text)
    assert file.realm == "page"
    return file.at("/frames/T/__ns/guard.js").decode(), file.inline


def source(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@pytest.mark.parametrize(
    ("name", "realm", "content_type"),
    [
        ("a.html", "page", "text/html; charset=utf-8"),
        ("deep/er/A.HTM", "page", "text/html; charset=utf-8"),
        ("a.js", "script", "text/javascript; charset=utf-8"),
        ("a.mjs", "script", "text/javascript; charset=utf-8"),
        ("a.svg", "document", "image/svg+xml"),
        ("a.xhtml", "document", "application/xhtml+xml"),
        ("a.xml", "document", "application/xml"),
        ("a.xsl", "document", "application/xslt+xml"),
        ("a.css", "data", "text/css; charset=utf-8"),
        ("a.json", "data", "application/json"),
        ("a.woff2", "data", "font/woff2"),
        ("a.png", "data", "image/png"),
        ("a.pdf", "data", "application/octet-stream"),
        ("a.mht", "data", "application/octet-stream"),
        ("a.html.txt", "data", "text/plain; charset=utf-8"),
        ("html", "data", "application/octet-stream"),
        ("LICENSE", "data", "application/octet-stream"),
    ],
)
def test_a_files_name_says_what_it_is_served_as(name: str, realm: str, content_type: str) -> None:
    file = served(name, b"x")
    assert (file.realm, file.content_type) == (realm, content_type)


def test_a_script_gets_the_guard_on_its_first_line() -> None:
    assert served("a.js", b"export const a = 1;\n").body.decode() == f"{GUARD}export const a = 1;\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!doctype html><p>a", f"<!doctype html>{TAG}<p>a"),
        (" \n<!-- a --><!DOCTYPE HTML>\n<html>", f" \n<!-- a --><!DOCTYPE HTML>{TAG}\n<html>"),
        ("<html><head>", f"{TAG}<html><head>"),
        ("<!-- never ends <!doctype html>", f"{TAG}<!-- never ends <!doctype html>"),
        ("", TAG),
    ],
)
def test_a_page_gets_the_guard_before_everything_but_its_doctype(text: str, expected: str) -> None:
    assert page(text)[0] == expected


def test_an_inline_script_is_allowed_by_the_hash_of_what_is_served_with_the_guard_in_front() -> None:
    text, inline = page("<!doctype html><script>go()</script><script type=module>await go()</script>")
    assert f"<script>{GUARD}go()</script>" in text
    assert inline == (source(f"{GUARD}go()"), source(f"{GUARD}await go()"))


def test_an_inline_scripts_hash_is_that_of_the_text_a_browser_sees() -> None:
    text, inline = page("<script>\r\nа()\rб()\r\n</script>")
    assert inline == (source(f"{GUARD}\nа()\nб()\n"),)
    assert "\r" not in text


@pytest.mark.parametrize(
    "text",
    [
        "<script src=a.js>go()</script>",
        "<script type=speculationrules>{}</script>",
        "<script type=importmap>go()</script>",
        "<script type=importmap>[]</script>",
        "<script type=text/plain>go()</script>",
        "<script>never ends",
        "<!-- <script>go()</script> -->",
        '<p title="<script>go()</script>">',
        "<button onclick=go()>",
        "<a href=javascript:go()>",
    ],
)
def test_nothing_else_is_allowed_to_run(text: str) -> None:
    assert page(text)[1] == ()


def test_an_import_map_is_allowed_as_it_is() -> None:
    words = '{"imports": {"sdk": "./__ns/sdk.js"}}'
    text, inline = page(f"<script type=importmap>{words}</script>")
    assert words in text
    assert inline == (source(words),)


def test_more_inline_scripts_than_a_header_can_name_do_not_run() -> None:
    text, inline = page("".join(f"<script>go({number})</script>" for number in range(600)))
    assert len(inline) == 500
    assert text.count(GUARD) == 500
    assert "<script>go(599)</script>" in text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_cannot_make_a_browser_read_the_guard_as_something_else(encoding: str) -> None:
    text, inline = page("<script>go('é')</script>".encode(encoding))
    assert text == f"{TAG}<script>{GUARD}go('é')</script>"
    assert inline == (source(f"{GUARD}go('é')"),)
    assert served("a.js", "go('é')".encode(encoding)).body.decode() == f"{GUARD}go('é')"


def test_endless_comments_before_a_doctype_are_read_once() -> None:
    assert page("<!-- a -->" * 100_000)[0].startswith(TAG)


def test_the_policy_names_the_frames_own_files_and_nothing_else() -> None:
    policy, _ = frame_policy("127.0.0.1:7420", "/frames/T/", "page", ("'sha256-x'",)).split(", ")
    own = "http://127.0.0.1:7420/frames/T/"
    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src {own} 'sha256-x'",
        f"style-src {own} 'unsafe-inline'",
        f"img-src {own} data: blob:",
        f"font-src {own} data: blob:",
        f"media-src {own} data: blob:",
        "connect-src 'none'",
        "frame-src 'none'",
        "worker-src 'none'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors http://127.0.0.1:7420",
        "sandbox allow-scripts",
    ]
    assert "'self'" not in policy


def test_the_hash_of_an_inline_script_opens_no_other_address() -> None:
    own = "http://127.0.0.1:7420/frames/T/"
    _, second = frame_policy("127.0.0.1:7420", "/frames/T/", "page", ("'sha256-x'",)).split(", ")
    assert second == f"script-src {own} 'unsafe-inline'"
    assert "unsafe-inline" not in frame_policy("127.0.0.1:7420", "/frames/T/", "page").split("; ")[1]


def test_a_document_that_is_no_page_runs_no_script() -> None:
    assert "; script-src 'none';" in frame_policy("127.0.0.1:7420", "/frames/T/", "document")


def test_the_headers_of_a_frame_are_all_there() -> None:
    assert dict(FRAME_HEADERS) == {
        "Connection-Allowlist": "(response-origin)",
        "X-DNS-Prefetch-Control": "off",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Access-Control-Allow-Origin": "*",
        "X-Content-Type-Options": "nosniff",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=(), "
        "usb=(), serial=(), hid=(), payment=()",
        "Cache-Control": "no-store",
    }
