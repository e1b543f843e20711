"""The printed address opens one page, once."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from .person import Person
from .running_server import RunningServer


def test_a_used_code_opens_nothing_and_the_first_page_goes_on(
    server: RunningServer, sit_down: Callable[..., Person]
) -> None:
    address = server.address()
    owner = sit_down(address)
    owner.sees_online()
    assert "code" not in owner.page.url

    stranger = sit_down(address, expects="403")
    expect(stranger.page.get_by_role("heading", name="Cardloom is locked")).to_be_visible()
    expect(stranger.page.get_by_text("This address was opened before, or is too old.")).to_be_visible()
    expect(stranger.page.get_by_text("cardloom open", exact=True)).to_be_visible()
    stranger.look("locked")
    expect(stranger.page.get_by_role("button")).to_have_count(0)

    owner.page.reload()
    owner.sees_online()
    owner.add("Note")
    expect(owner.card("Note", "Note")).to_be_visible()


def test_the_bare_address_opens_nothing(server: RunningServer, sit_down: Callable[..., Person]) -> None:
    stranger = sit_down(server.address().partition("#")[0])
    expect(stranger.page.get_by_role("heading", name="Cardloom is locked")).to_be_visible()
    expect(stranger.page.get_by_text("This address alone does not open the canvas.")).to_be_visible()
