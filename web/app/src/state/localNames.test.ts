import { expect, test } from "vitest";
import { note, snapshot, terminal } from "../../tests/makers";
import { translator } from "../i18n/catalogue";
import { fromSnapshot } from "./canvas";
import { withLocalNames } from "./localNames";

test("a card that nobody named is called by its kind in the person's language; a title stays", () => {
  const state = fromSnapshot(
    snapshot({ cards: [note("n", { name: "Note" }), note("m", { title: "Plans", name: "Plans" }), terminal("t")] }),
  );
  const names = [...withLocalNames(state, translator("ru")).cards.values()].map((card) => card.name);
  expect(names).toEqual(["Заметка", "Plans", "Терминал"]);
});

test("nothing is made anew when every name fits", () => {
  const state = fromSnapshot(snapshot({ cards: [note("n", { name: "Заметка" })] }));
  expect(withLocalNames(state, translator("ru"))).toBe(state);
});
