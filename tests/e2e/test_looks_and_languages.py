"""Theme and language: both switch at once, are remembered, and leave no text behind in another language."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .person import Person
from .running_server import CAP_S, RunningServer

# The same in every language: names of the product, keys, languages, port types and permissions, and what was typed.
NAMES = re.compile(
    r"Cardloom|bash|shell-bash|Ctrl|Shift|Alt|Esc|Enter|English|Python|Markdown|Test Radar|React Flow|xyflow"
    r"|markdown|cards\.connected|/.*/project|project"
)

CHAT_RU = {
    "chats": "Открыть чаты",
    "new": "Новая",
    "write": "Напишите сообщение",
    "refused": "Ни один сервер не предлагает моделей.",
}
CHAT_ZH = {"chats": "打开聊天页", "new": "新建", "write": "输入消息", "refused": "没有端点提供模型。"}


def test_the_theme_switches_at_once_and_is_remembered(person: Person) -> None:
    html = person.page.locator("html")
    expect(html).to_have_attribute("data-scheme", "dark")
    dark = person.page.locator(".topbar").evaluate("(bar) => getComputedStyle(bar).backgroundColor")
    person.choose("Theme", "Light")
    expect(html).to_have_attribute("data-scheme", "light")
    expect(person.page.locator(".topbar")).not_to_have_css("background-color", str(dark))
    person.page.reload()
    person.sees_online()
    expect(html).to_have_attribute("data-scheme", "light")
    person.choose("Theme", "As the system")
    expect(html).to_have_attribute("data-scheme", "dark")


@pytest.mark.parametrize(
    ("language", "code", "letters", "words"),
    [
        (
            "Русский",
            "ru",
            "[а-яё]",
            {"add": "Добавить карточку", "note": "Заметка", "help": "Клавиши и помощь", **CHAT_RU},
        ),
        ("中文", "zh", "[一-鿿]", {"add": "添加卡片", "note": "笔记", "help": "快捷键与帮助", **CHAT_ZH}),
    ],
    ids=["ru", "zh"],
)
def test_every_text_of_the_page_is_in_the_language_chosen(
    server: RunningServer,
    sit_down: Callable[..., Person],
    language: str,
    code: str,
    letters: str,
    words: dict[str, str],
) -> None:
    person = sit_down(server.address())
    page = person.page
    person.choose("Language", language)
    expect(page.locator("html")).to_have_attribute("lang", code)
    sees_nothing_foreign(person, letters)
    person.look(f"empty-{code}")

    person.button(words["add"]).click()
    page.get_by_role("menuitem", name=words["note"], exact=True).click()
    note = page.get_by_role("group", name=re.compile(f"^{words['note']}: |^{words['note']}：")).first
    expect(note).to_be_visible()
    sees_nothing_foreign(person, letters)

    person.button(words["help"]).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    sees_nothing_foreign(person, letters)
    person.look(f"keys-{code}")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    sees_nothing_foreign(person, letters)
    person.look(f"palette-{code}")
    page.keyboard.press("Escape")

    # What the server refuses is told in the language too.
    page.get_by_role("link", name=words["chats"]).click()
    page.get_by_role("button", name=words["new"], exact=True).first.click()
    page.get_by_role("textbox", name=words["write"]).fill("1 + 1?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text=words["refused"])).to_be_visible()
    sees_nothing_foreign(person, letters)
    person.look(f"chat-{code}")


def sees_nothing_foreign(person: Person, letters: str) -> None:
    """Wait until no text is left in another language: parts of the page follow a choice one after the other."""
    until = time.monotonic() + CAP_S
    while found := foreign(person, letters):
        assert time.monotonic() < until, found


def foreign(person: Person, letters: str) -> list[str]:
    """The texts and names on the page that hold words but no letter of the language."""
    texts: list[str] = person.page.evaluate(
        """() => {
          const found = new Set();
          for (const element of document.querySelectorAll("body, body *")) {
            if (element.closest("code, kbd, .crumb, .xterm") !== null) continue;
            for (const name of ["aria-label", "title", "placeholder"]) found.add(element.getAttribute(name) ?? "");
            for (const node of element.childNodes) if (node.nodeType === 3) found.add(node.textContent.trim());
          }
          return [...found];
        }"""
    )
    own = re.compile(letters, re.IGNORECASE)
    return [text for text in texts if re.search(r"[A-Za-z]{2}", NAMES.sub("", text)) and not own.search(text)]
