"""What a browser gets below a frame's address, over a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from cardloom.transport.frame_policy import FRAME_HEADERS
from cardloom.transport.guard import GUARD
from cardloom_protocol.limits import limit

from .framing import CAP_S, dial, write_frame

FILES = {
    "index.html": "<!doctype html><script>go()</script>",
    "assets/main.js": "go()",
    "evil.svg": "<svg/>",
    "data.json": "{}",
}


@pytest.fixture
async def http(listening: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=listening.url, timeout=CAP_S) as client:
        yield client


@pytest.fixture
async def card_id(shelf: Any, desk: Any, listening: Any) -> str:
    return str(await desk.put(write_frame(shelf.folder, "plain", files=FILES)))


@pytest.fixture
async def mount(card_id: str, page: Any) -> str:
    """The path of a mounted frame, with its final slash."""
    answer = await page.call("card.mount", cardId=card_id)
    assert answer["url"] == f"/frames/{answer['token']}/index.html"
    assert answer["heldBy"] is None
    return f"/frames/{answer['token']}/"


async def test_every_answer_carries_the_frames_headers_and_none_of_the_pages(
    http: httpx.AsyncClient, mount: str, listening: Any
) -> None:
    for path in ("index.html", "assets/main.js", "evil.svg", "data.json", "missing", "__ns/guard.js"):
        answer = await http.get(mount + path)
        for name, value in FRAME_HEADERS.items():
            assert answer.headers[name] == value, path
        policy = answer.headers["content-security-policy"]
        assert f"style-src {listening.url}{mount} 'unsafe-inline'" in policy
        assert policy.split(", ")[0].endswith("sandbox allow-scripts")
        assert "x-frame-options" not in answer.headers
        assert "cross-origin-opener-policy" not in answer.headers


async def test_pages_and_scripts_carry_the_guard_and_documents_run_nothing(http: httpx.AsyncClient, mount: str) -> None:
    page = await http.get(f"{mount}index.html")
    assert page.text.startswith(f'<!doctype html><script src="{mount}__ns/guard.js"></script><script>{GUARD}go()')
    assert "'sha256-" in page.headers["content-security-policy"]
    assert (await http.get(f"{mount}assets/main.js")).text == f"{GUARD}go()"
    assert (await http.get(f"{mount}__ns/guard.js")).text == GUARD
    svg = await http.get(f"{mount}evil.svg")
    assert svg.headers["content-type"] == "image/svg+xml"
    assert "script-src 'none'" in svg.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "nothing.html",
        "assets",
        "assets/",
        "%2e%2e/%2e%2e/data/owner.key",
        "..%5c..%5cowner.key",
        "assets//main.js",
        "/etc/passwd",
        "%00",
        "linked.txt",
        "linked/owner.key",
        "__ns/",
        "__NS/guard.js",
        "__ns/other.js",
    ],
)
async def test_nothing_but_a_file_of_the_package_is_served(
    http: httpx.AsyncClient, mount: str, shelf: Any, settings: Any, path: str
) -> None:
    folder = shelf.folder / "plain"
    (folder / "linked.txt").symlink_to(settings.data_folder / "owner.key")
    (folder / "linked").symlink_to(settings.data_folder, target_is_directory=True)
    answer = await http.get(httpx.URL(str(http.base_url).rstrip("/") + mount + path))
    assert answer.status_code == 404
    assert answer.content == b""


async def test_a_file_over_its_limit_is_not_served(http: httpx.AsyncClient, mount: str, shelf: Any) -> None:
    with (shelf.folder / "plain" / "large.bin").open("wb") as file:
        file.truncate(limit("fileBytes") + 1)
    assert (await http.get(f"{mount}large.bin")).status_code == 404


async def test_what_is_served_can_only_be_read(http: httpx.AsyncClient, mount: str) -> None:
    for path in ("__ns/sdk.js", "__ns/guard.js", "index.html", "new.js"):
        for method in ("PUT", "POST", "DELETE", "PATCH"):
            answer = await http.request(method, mount + path, content=b"export const mine = true;")
            assert answer.status_code in (403, 405), (method, path)


async def test_the_sdk_and_the_kit_come_from_the_host_alone(
    http: httpx.AsyncClient, mount: str, shelf: Any, app: Any
) -> None:
    package = shelf.folder / "plain" / "__ns"
    package.mkdir()
    (package / "sdk.js").write_text("the package's own")
    ours = app.settings.web_folder / "ns" / "sdk.js"
    answer = await http.get(f"{mount}__ns/sdk.js")
    assert "the package's own" not in answer.text
    assert answer.status_code == (200 if ours.is_file() else 404)


async def test_a_frames_origin_is_null_and_only_its_own_places_let_it_in(
    http: httpx.AsyncClient, mount: str, listening: Any
) -> None:
    null = {"Origin": "null"}
    assert (await http.get(f"{mount}assets/main.js", headers=null)).status_code == 200
    for path in ("/", "/health", "/assets/x.js"):
        assert (await http.get(path, headers={**null, **listening.key_header})).status_code == 403
    foreign = {"Origin": "https://evil.example"}
    assert (await http.get(f"{mount}assets/main.js", headers=foreign)).status_code == 403
    assert (await http.get(f"{mount}index.html", headers={"Host": "evil.example"})).status_code == 403


async def test_the_page_runs_no_script_of_a_package_and_frames_nothing_but_cards(
    http: httpx.AsyncClient, listening: Any
) -> None:
    policy = (await http.get("/")).headers["content-security-policy"].split("; ")
    assert f"script-src {listening.url}/assets/" in policy
    assert f"frame-src {listening.url}/frames/" in policy
    assert "frame-ancestors 'none'" in policy


async def test_a_frames_socket_is_opened_by_its_page_and_by_nobody_elses(mount: str, listening: Any) -> None:
    token = mount.split("/")[2]
    for origin in (listening.url, "null"):
        frame = await dial(listening, token, Origin=origin)
        assert (await frame.greet())["protocol"] == 1
        await frame.leave()
    for headers in ({"Origin": "http://localhost:1"}, listening.key_header):
        with pytest.raises(InvalidStatus) as refusal:
            await dial(listening, token, **headers)
        assert refusal.value.response.status_code == 403


async def test_an_unknown_token_opens_neither_files_nor_a_socket(
    http: httpx.AsyncClient, mount: str, listening: Any
) -> None:
    assert (await http.get("/frames/unknown/index.html")).status_code == 404
    for token, headers in (("unknown", {}), (mount.split("/")[2], {"Origin": "https://evil.example"})):
        with pytest.raises(InvalidStatus) as refusal:
            await connect(f"{listening.ws_url}/ws/card/{token}", additional_headers=headers)
        assert refusal.value.response.status_code == 403


async def test_the_third_document_of_a_frame_is_refused(http: httpx.AsyncClient, mount: str) -> None:
    assert [(await http.get(f"{mount}index.html")).status_code for _ in range(3)] == [200, 200, 404]
    assert (await http.get(f"{mount}assets/main.js")).status_code == 200


async def test_a_drawing_loaded_as_a_document_counts_as_one(http: httpx.AsyncClient, mount: str) -> None:
    as_frame = {"Sec-Fetch-Dest": "iframe"}
    assert [(await http.get(f"{mount}evil.svg", headers=as_frame)).status_code for _ in range(3)] == [200, 200, 404]
    assert (await http.get(f"{mount}evil.svg", headers={"Sec-Fetch-Dest": "image"})).status_code == 200


async def test_a_frame_that_is_gone_is_served_nothing_more(
    http: httpx.AsyncClient, mount: str, page: Any, card_id: str
) -> None:
    assert (await http.get(f"{mount}data.json")).status_code == 200
    await page.call("card.unmount", cardId=card_id)
    assert (await http.get(f"{mount}data.json")).status_code == 404


async def test_files_of_a_folder_that_changes_are_read_anew(http: httpx.AsyncClient, mount: str, shelf: Any) -> None:
    write_frame(shelf.folder, "plain", files={"data.json": "[1]"})
    assert (await http.get(f"{mount}data.json")).text == "[1]"
