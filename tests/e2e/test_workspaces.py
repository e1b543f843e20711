"""Workspaces: made, renamed, closed, and what is said when a folder is gone."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from .person import Person


def test_a_workspace_is_made_renamed_and_closed(person: Person, home: Path) -> None:
    page = person.page
    person.add("Note")
    expect(person.card("Note", "Note")).to_be_visible()
    person.choose("Workspace: project", "New workspace…")
    form = page.get_by_role("dialog")
    form.get_by_role("textbox", name="Folder").fill(str(home / "second"))
    form.get_by_role("button", name="Create").click()
    expect(form.get_by_role("alert")).to_contain_text("second")
    person.look("no-such-folder")
    form.get_by_role("checkbox", name="Create the folder").check()
    form.get_by_role("button", name="Create").click()
    expect(page.get_by_text("An empty canvas")).to_be_visible()
    assert (home / "second").is_dir()

    person.choose("Workspace: second", "Name and folder…")
    form.get_by_role("textbox", name="Name").fill("Other things")
    form.get_by_role("button", name="Save").click()
    expect(person.button("Workspace: Other things")).to_be_visible()

    person.choose("Workspace: Other things", "Close workspace")
    expect(person.button("Workspace: project")).to_be_visible()
    expect(person.card("Note", "Note")).to_be_visible()

    person.choose("Workspace: project", "Other things")
    expect(person.button("Workspace: Other things")).to_be_visible()
    person.choose("Workspace: Other things", "Remove from Cardloom…")
    expect(form).to_contain_text("stays as it is")
    form.get_by_role("button", name="Remove").click()
    expect(person.button("Workspace: project")).to_be_visible()
    assert (home / "second").is_dir()


def test_a_folder_that_vanished_is_named_and_nothing_of_the_canvas_is_lost(person: Person, folder: Path) -> None:
    page = person.page
    person.add("Note")
    note = person.card("Note", "Note")
    person.write_note(note, "Kept")
    folder.rename(folder.with_name("moved"))
    problem = page.get_by_role("alert").filter(has_text=str(folder))
    expect(problem).to_be_visible()
    expect(problem).to_contain_text("Cards and arrows are kept.")
    person.look("folder-gone")
    expect(note).to_contain_text("Kept")

    person.choose("Workspace: project", "Name and folder…")
    form = page.get_by_role("dialog")
    form.get_by_role("textbox", name="Folder").fill(str(folder.with_name("moved")))
    form.get_by_role("button", name="Save").click()
    expect(problem).to_have_count(0)
    expect(note).to_contain_text("Kept")
