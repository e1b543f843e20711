// @vitest-environment jsdom
import { CardSdkError, createTranslator } from "@cardloom/card-sdk";
import { MockHost } from "@cardloom/card-sdk/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import manifest from "../neurosquad-card.json";
import { start } from "../board.js";
import { addressOf, issuesOf } from "../issues.js";

const HERE = "http://127.0.0.1:8377";
const ISSUES = [
  { number: 3, title: "Salt", state: "open", labels: [], assignee: null, html_url: "https://example.org/3" },
  { number: 2, title: "Jars", state: "open", labels: [{ name: "In progress" }], assignee: { login: "ada" } },
  { number: 1, title: "Labels", state: "closed", labels: [] },
  { number: 9, title: "A pull request", state: "open", pull_request: {} },
];
let host, page, sent, answer;

const until = (check) => vi.waitFor(check, { timeout: 20_000 });

async function begin(options = {}) {
  host = new MockHost({ manifest, settings: { server: HERE, repository: "acme/pantry" }, ...options });
  host.onFetch((request) => {
    sent.push(request);
    return answer(request);
  });
  const card = await host.connect();
  page = document.body.appendChild(document.createElement("div"));
  await start(card, page, (words) => createTranslator(words, card));
}

const column = (name) => [...page.querySelectorAll(`section[aria-label="${name}"] button`)].map((one) => one.textContent);
const refresh = () => host.deliver("refresh", {});
const alertText = () => page.querySelector("[role=alert]")?.textContent ?? null;

beforeEach(() => {
  document.body.replaceChildren();
  sent = [];
  answer = () => ({ json: ISSUES, headers: { etag: '"one"' } });
});

describe("the issue board", () => {
  test("sorts issues into columns and leaves pull requests out", async () => {
    await begin();
    expect(column("Open")).toEqual(["#3 Salt"]);
    expect(column("In progress")).toEqual(["#2 Jars · ada"]);
    expect(column("Closed")).toEqual(["#1 Labels"]);
    expect(host.shown.chrome.status?.text).toBe("2 open issues");
    expect(host.emitted.at(-1)?.data).toEqual([
      { id: "3", text: "#3 Salt", status: "pending" },
      { id: "2", text: "#2 Jars", status: "active", assignee: "ada" },
    ]);
  });

  test("asks for this computer only when the settings name it", async () => {
    await begin();
    expect(sent[0].url).toBe(`${HERE}/repos/acme/pantry/issues?state=all&per_page=100`);
    expect(host.world.granted).toContain("network.local");
    await begin({ settings: { repository: "acme/pantry" } });
    expect(sent.at(-1).url).toContain("https://api.github.com/");
    expect(host.world.granted).not.toContain("network.local");
  });

  test("says so when the person does not let it reach this computer", async () => {
    host = undefined;
    const refused = new MockHost({ manifest, settings: { server: HERE, repository: "acme/pantry" } });
    refused.person.grants = false;
    const card = await refused.connect();
    page = document.body.appendChild(document.createElement("div"));
    await start(card, page, (words) => createTranslator(words, card));
    expect(alertText()).toBe("The card may not reach this computer.");
  });

  test("sends its token in a header that the host fills in, and only when there is one", async () => {
    await begin({ secrets: { token: "s3cret" } });
    expect(sent[0].headers.authorization).toBe("Bearer s3cret");
    await begin();
    expect(sent[1].headers.authorization).toBeUndefined();
  });

  test("does not fetch again what it has seen", async () => {
    await begin();
    answer = ({ headers }) => (headers["if-none-match"] === '"one"' ? { status: 304 } : { status: 500 });
    await refresh();
    await until(() => expect(sent).toHaveLength(2));
    expect(alertText()).toBe(null);
    expect(column("Open")).toEqual(["#3 Salt"]);
  });

  test("keeps what it showed when the server fails, and says what it answered", async () => {
    await begin();
    answer = () => ({ status: 503 });
    await refresh();
    await until(() => expect(alertText()).toBe("The server answered with 503."));
    expect(column("Open")).toEqual(["#3 Salt"]);
    expect(host.shown.chrome.status?.tone).toBe("danger");
    answer = () => {
      throw new CardSdkError("NETWORK_ERROR", "Nobody listens there.");
    };
    await refresh();
    await until(() => expect(alertText()).toBe("Nobody listens there."));
  });

  test("fetches from the new place when the settings change", async () => {
    await begin();
    await host.changeSettings({ repository: "acme/shop" });
    await until(() => expect(sent.at(-1).url).toContain("/repos/acme/shop/"));
    expect(sent.at(-1).headers["if-none-match"]).toBeUndefined();
    await host.changeSettings({ repository: "nonsense" });
    await until(() => expect(alertText()).toBe("Name a repository in the settings."));
  });

  test("fetches once more when the settings change while it fetches", async () => {
    await begin();
    let give;
    answer = () => new Promise((resolve) => (give = resolve));
    void refresh();
    await until(() => expect(give).toBeDefined());
    answer = () => ({ json: [] });
    await host.changeSettings({ repository: "acme/shop" });
    give({ json: ISSUES });
    await until(() => expect(sent.at(-1).url).toContain("/repos/acme/shop/"));
  });

  test("opens an issue where it is, after the person was asked", async () => {
    await begin();
    page.querySelector("section button").click();
    await until(() => expect(host.shown.links).toEqual(["https://example.org/3"]));
  });

  test("rests while nobody sees it and looks at once when somebody does", async () => {
    await begin({ visibility: "hidden" });
    expect(sent).toHaveLength(0);
    await host.setVisibility("visible");
    await until(() => expect(column("Open")).toEqual(["#3 Salt"]));
  });

  test.each([undefined, "", "acme", "acme/../x"])("a repository %j is none", (repository) => {
    expect(() => addressOf({ server: HERE, repository })).toThrow("repository");
  });

  test("an answer that is no list is told apart", () => {
    expect(() => issuesOf({ message: "Not Found" })).toThrow("answer");
  });
});
