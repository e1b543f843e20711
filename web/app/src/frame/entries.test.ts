import { beforeEach, describe, expect, test } from "vitest";
import { Entries } from "./entries";

const card = document.createElement("iframe");
const other = document.createElement("iframe");
let entries: Entries;

beforeEach(() => {
  entries = new Entries();
});

describe("a frame that has the keyboard has it from the person", () => {
  test("who pressed in it", () => {
    entries.key("a", 0);
    expect(entries.isPersons(card, 700, true, true)).toBe(true);
  });

  test("who went on to it with Tab", () => {
    entries.key("Tab", 0);
    expect(entries.isPersons(card, 1, true, true)).toBe(true);
  });

  test("whom the page led there", () => {
    entries.key("Enter", 0);
    entries.invite(card);
    expect(entries.isPersons(card, 1, true, true)).toBe(true);
  });
});

describe("a frame took the keyboard for itself", () => {
  test("while the person types", () => {
    entries.key("a", 0);
    expect(entries.isPersons(card, 699, true, true)).toBe(false);
  });

  test("when nothing was pressed lately", () => {
    expect(entries.isPersons(card, 9000, false, true)).toBe(false);
  });

  test("when no press could reach it", () => {
    expect(entries.isPersons(card, 9000, true, false)).toBe(false);
  });

  test("when a Tab had led to something of the page", () => {
    entries.key("Tab", 0);
    entries.inPage(false, 1);
    expect(entries.isPersons(card, 2, true, true)).toBe(false);
  });

  test("when the person has just gone into a field", () => {
    entries.inPage(true, 1000);
    expect(entries.isPersons(card, 1699, true, true)).toBe(false);
    entries.inPage(false, 1700);
    expect(entries.isPersons(card, 1700, true, true)).toBe(true);
  });

  test("when another one was invited", () => {
    entries.key("Enter", 0);
    entries.invite(other);
    expect(entries.isPersons(card, 1, true, true)).toBe(false);
  });

  test("when it was invited before the person typed elsewhere", () => {
    entries.invite(card);
    entries.key("a", 0);
    expect(entries.isPersons(card, 1, true, true)).toBe(false);
  });
});
