// @vitest-environment jsdom

import { act, cleanup, render, screen } from "@testing-library/react";
import { StrictMode } from "react";
import type { ReactElement } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTranslator } from "../src";
import type { Card } from "../src";
import {
  CardProvider,
  useCard,
  useExpanded,
  useI18n,
  useLatestMessage,
  usePaused,
  usePeers,
  usePermission,
  usePortMessage,
  usePortRequest,
  useSettings,
  useStored,
  useTheme,
  useTool,
  useTranslator,
} from "../src/react";
import type { StoredChange } from "../src/react";
import { MockHost, peer, settle } from "../src/testing";
import { MANIFEST } from "./tideClock";

let host: MockHost;
let card: Card;

beforeEach(async () => {
  host = new MockHost({ manifest: MANIFEST, peers: [peer("c_note", "note")] });
  card = await host.connect();
});

afterEach(cleanup);

async function show(part: () => ReactElement): Promise<void> {
  const Part = part;
  await act(async () => {
    render(
      <StrictMode>
        <CardProvider card={card}>
          <Part />
        </CardProvider>
      </StrictMode>,
    );
    await settle();
  });
}

const shown = () => screen.getByRole("status").textContent;

describe("the card's state in components", () => {
  test("follows what the host tells", async () => {
    await show(() => {
      const parts = [usePaused(), useExpanded(), useTheme().scheme, useI18n().language, useSettings().values["place"]];
      return <output>{[...parts, usePeers().length, usePermission("fs.read")].join(" ")}</output>;
    });
    expect(shown()).toBe("false false dark en Brest 1 false");
    await act(async () => {
      await host.setVisibility("overview");
      await host.setExpanded(true);
      await host.setScheme("light");
      await host.setLanguage("zh");
      await host.changeSettings({ place: "Kiel" });
      await host.setPeers();
      await host.setPermissions("fs.write");
    });
    expect(shown()).toBe("true true light zh Kiel 0 true");
  });

  test("is drawn anew only for the part that changed", async () => {
    const draws = vi.fn();
    await show(() => {
      draws();
      return <output>{useTheme().scheme}</output>;
    });
    draws.mockClear();
    await act(() => host.setVisibility("hidden"));
    expect(draws).not.toHaveBeenCalled();
  });

  test("needs a provider", () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const Lost = () => <output>{useCard().id}</output>;
    expect(() => render(<Lost />)).toThrow("CardProvider");
    vi.restoreAllMocks();
  });

  test("words follow the translator's language", async () => {
    const translator = createTranslator({ en: { tide: "Tide" }, ru: { tide: "Прилив" } }, card);
    await show(() => <output>{useTranslator(translator)("tide")}</output>);
    expect(shown()).toBe("Tide");
    await act(() => host.setLanguage("ru"));
    expect(shown()).toBe("Прилив");
  });
});

describe("values, questions and tools in components", () => {
  test("a value that came before the component is not lost, strict mode or not", async () => {
    await host.deliver("notes", "early");
    await show(() => <output>{useLatestMessage<string>("notes")?.data ?? "nothing"}</output>);
    expect(shown()).toBe("early");
    await act(() => host.deliver("notes", "late"));
    expect(shown()).toBe("late");
  });

  test("the newest function hears, and none once the component is gone", async () => {
    const heard: string[] = [];
    await show(() => {
      const scheme = useTheme().scheme;
      usePortMessage<string>((text) => heard.push(`${scheme} ${text}`), { input: "notes" });
      usePortRequest("lookup", () => ({ scheme }));
      useTool("add", () => scheme);
      return <output />;
    });
    await act(async () => {
      await host.deliver("notes", "one");
      await host.setScheme("light");
    });
    await act(() => host.deliver("notes", "two"));
    expect(heard).toEqual(["dark one", "light two"]);
    expect(await host.ask("lookup", "x")).toEqual({ scheme: "light" });
    expect(await host.callTool("add")).toMatchObject({ content: [{ text: "light" }] });
    cleanup();
    await host.deliver("notes", "three");
    expect(heard).toHaveLength(2);
  });
});

describe("kept state", () => {
  test("is read from the store, changed there, and follows the other cards of the package", async () => {
    await card.storage.package.set("count", 4);
    let change: (value: number) => void = () => undefined;
    await show(() => {
      const [count, setCount, loaded] = useStored("count", 0, { scope: "package" });
      change = setCount;
      return <output>{`${count} ${loaded}`}</output>;
    });
    expect(shown()).toBe("4 true");
    await act(async () => {
      change(5);
      await settle();
    });
    expect([shown(), await card.storage.package.get("count")]).toEqual(["5 true", 5]);
    await act(async () => {
      host.world.stores.package.set("count", "9");
      await host.event("storage.changed", { scope: "package", key: "count", deleted: false });
    });
    expect(shown()).toBe("9 true");
  });

  test("a change made before the first reading stays, and one made of the value before waits for it", async () => {
    await card.storage.set("list", ["old"]);
    let changeList: (change: StoredChange<string[]>) => void = () => undefined;
    let changeWord: (change: StoredChange<string>) => void = () => undefined;
    const Part = () => {
      const [list, setList, loaded] = useStored<string[]>("list", []);
      const [word, setWord] = useStored("word", "none");
      [changeList, changeWord] = [setList, setWord];
      return <output>{`${list.join()} ${word} ${loaded}`}</output>;
    };
    render(
      <CardProvider card={card}>
        <Part />
      </CardProvider>,
    );
    expect(shown()).toBe(" none false");
    await act(async () => {
      changeList((before) => [...before, "one"]);
      changeList((before) => [...before, "two"]);
      changeWord("early");
      await settle();
    });
    expect(shown()).toBe("old,one,two early true");
    expect([await card.storage.get("list"), await card.storage.get("word")]).toEqual([["old", "one", "two"], "early"]);
    await act(async () => {
      changeList((before) => before.slice(1));
      await settle();
    });
    expect(shown()).toBe("one,two early true");
  });

  test("begins with what is given where nothing is kept", async () => {
    await show(() => {
      const [place] = useStored("place", "Brest");
      return <output>{place}</output>;
    });
    expect(shown()).toBe("Brest");
  });
});
