"""A newcomer's first chat: connect a model, talk, answer its questions, change what was said; then a chat card."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.model_server.scenario import FINAL_TEXT, HELD_TEXT, PLAIN_TEXT, RELEASED_TEXT, WORDS
from tests.model_server.serving import ModelServer, serving_models

from .conftest import Sit
from .person import Kind
from .running_server import RunningServer


@pytest.fixture
def models() -> Iterator[ModelServer]:
    """The scripted model on the loopback."""
    with serving_models() as serving:
        yield serving


def chats_of(address: str) -> str:
    """The address of the chats, with the code of a canvas's address."""
    return address.replace("/#code=", "/chat#code=")


def messages(page: Page) -> Locator:
    return page.get_by_role("log", name="Messages").get_by_role("article")


def say(page: Page, text: str) -> None:
    field = page.get_by_role("textbox", name="Write a message")
    field.fill(text)
    field.press("Enter")


def rest(page: Page) -> None:
    """Wait until what was said has gone out and the answer is complete."""
    expect(page.locator("article[data-pending]")).to_have_count(0)
    expect(page.get_by_role("log")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def connect_a_model(page: Page, models: ModelServer) -> None:
    page.get_by_role("button", name="Connect a model").click()
    form = page.get_by_role("dialog", name="Model endpoints")
    form.get_by_label("Base address").fill(f"{models.url}/v1")
    form.get_by_label("Key", exact=False).first.fill("sk-of-a-person")
    form.get_by_role("button", name="Connect", exact=True).click()
    expect(form).to_have_count(0)


def test_a_newcomer_connects_a_model_and_chats(
    server: RunningServer, sit_down: Sit, models: ModelServer, folder: Path
) -> None:
    person = sit_down(chats_of(server.address()))
    page = person.page
    connect_a_model(page, models)
    page.get_by_role("button", name="New", exact=True).first.click()

    # An answer with thoughts, which stay folded.
    say(page, "[[think]] what do you think?")
    rest(page)
    answer = messages(page).last
    expect(answer).to_contain_text("Scripted answer after thinking.")
    expect(answer.get_by_text("Let me think about it.")).to_be_hidden()
    answer.get_by_text("Thoughts").click()
    expect(answer.get_by_text("Let me think about it.")).to_be_visible()

    # A tool that asks: nothing is written before the person says so.
    say(page, "[[write:notes.txt]] please")
    question = page.get_by_role("alertdialog")
    expect(question).to_contain_text("notes.txt")
    assert not (folder / "notes.txt").exists()
    person.look("a-tool-asks")
    question.get_by_role("button", name="Allow", exact=True).click()
    rest(page)
    expect(messages(page).last).to_contain_text(FINAL_TEXT)
    assert (folder / "notes.txt").read_text() == "hello\n"
    expect(page.locator("details[data-state=done]")).to_contain_text("notes.txt")

    # The same question answered anew becomes an alternative; one can go back to the first.
    say(page, "[[text]] once more")
    rest(page)
    expect(messages(page).last).to_contain_text(PLAIN_TEXT)
    messages(page).last.get_by_role("button", name="Answer anew").click()
    expect(messages(page).last).to_contain_text("2 / 2")
    rest(page)
    messages(page).last.get_by_role("button", name="Alternative before").click()
    expect(messages(page).last).to_contain_text("1 / 2")

    # What was said can be changed.
    messages(page).last.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Text of the message").fill("Changed **by hand**.")
    page.get_by_role("button", name="Save").click()
    expect(messages(page).last.locator("strong")).to_have_text("by hand")

    # A reload in the middle of an answer loses nothing and doubles nothing.
    say(page, "[[hold]] wait for me")
    expect(messages(page).last).to_contain_text(HELD_TEXT.strip())
    count = messages(page).count()
    field = page.get_by_role("textbox", name="Write a message")
    field.fill("half a thought")
    page.reload()
    expect(messages(page).last).to_contain_text(HELD_TEXT.strip())
    # What was typed and not sent is still there.
    expect(field).to_have_value("half a thought")
    field.fill("")
    urlopen(f"{models.url}/__release", data=b"").close()
    expect(messages(page).last).to_contain_text(HELD_TEXT + RELEASED_TEXT)
    rest(page)
    expect(messages(page)).to_have_count(count)

    # An answer that is stopped keeps what it had.
    say(page, "[[slow:drop]] talk")
    expect(messages(page).last).to_contain_text("drop1")
    page.get_by_role("button", name="Stop").click()
    rest(page)
    expect(messages(page).last).to_contain_text("drop1")
    expect(messages(page).last).not_to_contain_text(f"drop{WORDS - 1}")
    person.look("a-chat")


def test_a_chat_card_is_fed_by_a_note_and_answers_into_another(
    server: RunningServer, sit_down: Sit, models: ModelServer
) -> None:
    person = sit_down(server.address())
    page = person.page
    page.get_by_role("link", name="Open the chats").click()
    connect_a_model(page, models)
    page.get_by_role("link", name="Back to the canvas").click()
    person.sees_online()

    kinds: tuple[tuple[Kind, str], ...] = (("Note", "Question"), ("Chat", "Adviser"), ("Note", "Answer"))
    for kind, name in kinds:
        person.add(kind)
        person.rename(person.card(kind, kind), name)
    person.see_all()
    question, chat, answer = (
        person.card("Note", "Question"),
        person.card("Chat", "Adviser"),
        person.card("Note", "Answer"),
    )
    person.draw_arrow(question, chat)
    expect(person.arrow("Question", "Adviser")).to_be_visible()
    person.draw_arrow(chat, answer)
    expect(person.arrow("Adviser", "Answer")).to_be_visible()
    person.write_note(question, "[[text]] hello")
    expect(answer).to_contain_text(PLAIN_TEXT)
    expect(chat.get_by_role("article").last).to_contain_text(PLAIN_TEXT)
    person.look("a-chat-card")
