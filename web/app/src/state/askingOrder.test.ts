import { expect, test } from "vitest";
import { AskingOrder } from "./askingOrder";

test("answers in the order of asking are all news", () => {
  const order = new AskingOrder();
  const [first, second] = [order.ask(), order.ask()];
  expect([first(), second()]).toEqual([true, true]);
});

test("an answer that was overtaken is none", () => {
  const order = new AskingOrder();
  const [first, second, third] = [order.ask(), order.ask(), order.ask()];
  expect([second(), first(), third()]).toEqual([true, false, true]);
});
