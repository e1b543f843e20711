import { afterEach, expect, test } from "vitest";
import { framed, unmounted } from "../../tests/makers";
import { openPage } from "../../tests/page";
import type { Card, FrameRuntime } from "../wire/records";

const mine: FrameRuntime = { ...unmounted, status: "loading", pageId: "page-1" };
const theirs: FrameRuntime = { ...unmounted, status: "running", pageId: "page-2" };

async function page(...cards: Card[]) {
  const opened = await openPage({ cards });
  let seq = 1;
  const place = document.createElement("div");
  document.body.append(place);
  const answered = (token: string) => ({ token, url: `/frames/${token}/index.html`, heldBy: null });
  const runtime = async (cardId: string, now: FrameRuntime) => {
    seq += 1;
    const changes = [{ op: "patchCard", cardId, fields: { runtime: now } }];
    await opened.event("canvas.changed", { workspaceId: "w1", seq, by: null, changes });
  };
  return {
    ...opened,
    frames: opened.session.frames,
    place,
    iframe: () => document.querySelector("iframe"),
    phase: (id: string) => opened.session.frames.states.get().get(id)?.phase,
    runtime,
    mounted: async (token = "t1") => {
      await runtime("c", mine);
      await opened.answer("card.mount", answered(token));
    },
  };
}

afterEach(() => {
  document.body.replaceChildren();
});

test("a card that is drawn is mounted, sandboxed with scripts and nothing else", async () => {
  const { frames, place, iframe, mounted, phase } = await page(framed("c"));
  frames.show("c", place);
  expect(phase("c")).toBe("mounting");
  await mounted();
  const frame = iframe();
  expect(frame?.getAttribute("sandbox")).toBe("allow-scripts");
  expect(frame?.getAttribute("allow")).toBe("");
  expect(frame?.getAttribute("src")).toBe("/frames/t1/index.html");
  expect(frame?.title).toBe("c");
  expect(frame?.parentElement).toBe(place);
});

test("out of sight a frame stays in the document and comes back as the same element", async () => {
  const { frames, place, iframe, mounted } = await page(framed("c"));
  const hide = frames.show("c", place);
  await mounted();
  const frame = iframe();
  hide();
  expect(iframe()).toBe(frame);
  expect(frame?.parentElement?.className).toBe("frame-lot");
  frames.show("c", place);
  expect(frame?.parentElement).toBe(place);
});

test("a card that another page has says so until it is taken over", async () => {
  const { frames, place, phase, mounted, socket } = await page(framed("c", theirs));
  frames.show("c", place);
  expect(phase("c")).toBe("elsewhere");
  frames.takeOver("c");
  expect(socket.call("card.mount").params).toEqual({ cardId: "c", takeOver: true });
  await mounted();
  expect(phase("c")).toBe("mounted");
});

test("a card whose other page is gone is mounted here", async () => {
  const { frames, place, phase, runtime } = await page(framed("c", theirs));
  frames.show("c", place);
  await runtime("c", unmounted);
  expect(phase("c")).toBe("mounting");
});

test("a frame that another page took is gone at once", async () => {
  const { frames, place, iframe, mounted, phase, event } = await page(framed("c"));
  frames.show("c", place);
  await mounted();
  await event("card.taken", { cardId: "c", pageId: "page-2" });
  expect(iframe()).toBeNull();
  expect(phase("c")).toBe("elsewhere");
});

test("a frame that sleeps is let go and mounted anew when its card is drawn", async () => {
  const { frames, place, iframe, mounted, phase, runtime } = await page(framed("c"));
  const hide = frames.show("c", place);
  await mounted();
  hide();
  await runtime("c", { ...unmounted, status: "suspended" });
  expect(iframe()).toBeNull();
  expect(phase("c")).toBeUndefined();
  frames.show("c", place);
  expect(phase("c")).toBe("mounting");
});

test("a card that the server calls is mounted out of sight", async () => {
  const { iframe, mounted, event, phase } = await page(framed("c"));
  await event("card.wake", { cardId: "c" });
  expect(phase("c")).toBe("mounting");
  await mounted();
  expect(iframe()?.parentElement?.className).toBe("frame-lot");
});

test("a refusal stays until somebody asks again", async () => {
  const { frames, place, phase, socket, session } = await page(framed("c"));
  frames.show("c", place);
  await socket.refuse("card.mount", "QUOTA_EXCEEDED", "24 cards are in sight already");
  expect(session.frames.states.get().get("c")).toEqual({ phase: "refused", message: "24 cards are in sight already" });
  frames.reload("c");
  expect(phase("c")).toBe("mounting");
});

test("a card that fills the page has its frame there, and the server is told", async () => {
  const { frames, place, iframe, mounted, socket } = await page(framed("c"));
  frames.show("c", place);
  await mounted();
  const large = document.createElement("div");
  document.body.append(large);
  frames.expand("c");
  expect(socket.call("card.expand").params).toEqual({ cardId: "c", expanded: true });
  const shrink = frames.showLarge("c", large);
  expect(iframe()?.parentElement).toBe(large);
  shrink();
  expect(iframe()?.parentElement).toBe(place);
});

/** How often a call was made. */
function countOf(socket: { calls: readonly { method: string }[] }, wanted: string) {
  return socket.calls.filter(({ method }) => method === wanted).length;
}

test("that a card fills the page is told again when the server refused to hear it for haste", async () => {
  const { frames, place, mounted, socket, timers } = await page(framed("c"));
  frames.show("c", place);
  await mounted();
  frames.expand("c");
  await socket.refuse("card.expand", "RATE_LIMITED");
  await timers.pass(700);
  expect(countOf(socket, "card.expand")).toBe(2);
  expect(socket.call("card.expand").params).toEqual({ cardId: "c", expanded: true });
  await socket.answer("card.expand", {});
  frames.expand(null);
  await socket.refuse("card.expand", "RATE_LIMITED");
  frames.expand("c");
  await timers.pass(700);
  expect(socket.call("card.expand").params).toEqual({ cardId: "c", expanded: true });
  expect(countOf(socket, "card.expand")).toBe(4);
});

test("what is told of a frame that is gone, or refused for good, is not told again", async () => {
  const { frames, place, mounted, socket, timers, event } = await page(framed("c"));
  frames.show("c", place);
  await mounted();
  frames.expand("c");
  await socket.refuse("card.expand", "NOT_FOUND");
  await timers.pass(700);
  frames.expand(null);
  await socket.refuse("card.expand", "RATE_LIMITED");
  await event("card.taken", { cardId: "c", pageId: "page-2" });
  await timers.pass(700);
  expect(countOf(socket, "card.expand")).toBe(2);
});

test("that a frame was let go is told again when the server refused to hear it, unless it was loaded anew", async () => {
  const { frames, place, iframe, mounted, socket, timers } = await page(framed("c"));
  frames.show("c", place);
  await mounted();
  for (let times = 1; times <= 3; times += 1) iframe()?.dispatchEvent(new Event("load"));
  await socket.refuse("card.unmount", "RATE_LIMITED");
  await timers.pass(700);
  expect(countOf(socket, "card.unmount")).toBe(2);
  await socket.refuse("card.unmount", "RATE_LIMITED");
  frames.reload("c");
  await timers.pass(700);
  expect(countOf(socket, "card.unmount")).toBe(2);
});

test("a frame that took the keyboard gives it back, and is let go when it goes on", async () => {
  const { frames, place, iframe, mounted, phase, session, socket } = await page(framed("c"));
  const field = document.createElement("input");
  document.body.append(field);
  field.focus();
  frames.show("c", place);
  await mounted();
  const grab = () => {
    HTMLElement.prototype.focus.call(iframe());
    frames.refuseFocus("c", field);
    expect(document.activeElement).toBe(field);
  };
  for (let times = 1; times <= 3; times += 1) grab();
  expect(phase("c")).toBe("mounted");
  grab();
  expect(session.frames.states.get().get("c")).toEqual({ phase: "stopped", why: "grabbing" });
  expect(iframe()).toBeNull();
  expect(socket.call("card.unmount").params).toEqual({ cardId: "c" });
});

test("a frame may load itself anew once, and is let go when it goes on", async () => {
  const { frames, place, iframe, mounted, session, socket } = await page(framed("c"));
  frames.show("c", place);
  await mounted();
  const frame = iframe();
  frame?.dispatchEvent(new Event("load"));
  frame?.dispatchEvent(new Event("load"));
  expect(session.frames.states.get().get("c")?.phase).toBe("mounted");
  frame?.dispatchEvent(new Event("load"));
  expect(session.frames.states.get().get("c")).toEqual({ phase: "stopped", why: "restarting" });
  expect(iframe()).toBeNull();
  expect(socket.call("card.unmount").params).toEqual({ cardId: "c" });
});

test("a frame that starts over because the page moved it is loaded afresh, not let go", async () => {
  const { frames, place, iframe, mounted, phase, socket } = await page(framed("c"));
  const hide = frames.show("c", place);
  await mounted();
  const frame = iframe();
  frame?.dispatchEvent(new Event("load"));
  frame?.dispatchEvent(new Event("load"));
  hide();
  frame?.dispatchEvent(new Event("load"));
  expect(phase("c")).toBe("mounting");
  await mounted("t2");
  expect(iframe()?.getAttribute("src")).toBe("/frames/t2/index.html");
  expect(socket.calls.map(({ method }) => method)).not.toContain("card.unmount");
});

test("a frame that the page gives the keyboard has it by invitation", async () => {
  const { frames, place, iframe, mounted } = await page(framed("c"));
  frames.show("c", place);
  await mounted();
  frames.focus("c");
  expect(document.activeElement).toBe(iframe());
  expect(frames.entries.isPersons(iframe() as Element, 0, false, false)).toBe(true);
});
