// A card as its author publishes it elsewhere. The test changes the name of the package in the imports, nothing else.
import {
  connect,
  coercePortValue,
  createTranslator,
  hasDownstreamPeer,
  isCardSdkError,
  permissionForPeer,
  pickInputFor,
  portsCompatible,
  requestPermissions,
} from "@neurosquad/card-sdk";
import type { PeerInfo } from "@neurosquad/card-sdk";
import "@neurosquad/card-sdk/ui.css";

const card = await connect();
const find = (id: string) => document.getElementById(id) as HTMLElement;
const say = (text: string) => (find("said").textContent = text);
const { t, onChange } = createTranslator({ en: { send: "Send" }, ru: { send: "Отправить" } }, card);

function describePeer(peer: PeerInfo): string {
  const input = pickInputFor("ns:markdown", peer.inputs);
  return `${peer.name} (${peer.kind}, ${peer.direction}) takes ${input?.id ?? "nothing"}`;
}

function draw(): void {
  find("send").textContent = t("send");
  find("peers").textContent = card.ports.peers.map(describePeer).join("; ") || "alone";
}

card.ports.onMessage<string>((text, message) => {
  find("seen").textContent = `${message.fromKind} on ${message.output}: ${text}`;
}, { input: "notes" });
card.ports.onRequest<string>("lookup", async (query, request) => ({ query, aborted: request.signal.aborted }));
card.ports.onPeersChanged(draw);
card.on("settings.changed", () => say(`threshold ${card.settings.values["threshold"]}`));
onChange(draw);

card.tools.handle<{ what: string }>("record", async ({ what }, call) => {
  const used = [...((await card.storage.get<string[]>("used")) ?? []), `${what} by ${call.agent.name}`];
  await card.storage.set("used", used);
  await list();
  return { used: used.length };
});

async function list(): Promise<void> {
  const used = (await card.storage.get<string[]>("used")) ?? [];
  find("used").replaceChildren(...used.map((one) => Object.assign(document.createElement("li"), { textContent: one })));
  await card.setBadge(used.length || null);
}

find("send").onclick = async () => {
  if (!hasDownstreamPeer(card.ports.peers)) return say("alone");
  const needed = card.ports.peers.map((peer) => permissionForPeer(peer, { outputType: "ns:markdown" })).filter((id) => id !== null);
  const usable = await requestPermissions(card, ...needed);
  const delivered = await card.ports.emit("summary", `## Low on salt ${coercePortValue("ns:number", "ns:text", 3)}`);
  say(`${delivered} took it with ${usable.join() || "nothing"}`);
};

find("ask").onclick = async () => {
  const peer = card.ports.peers.find((one) => one.inputs.some((input) => input.mode === "request"));
  if (peer === undefined) return say("nobody to ask");
  const answer = await card.ports.request<{ hits: string[] }>(peer.cardId, "find", "salt", { timeoutMs: 10_000 });
  say(`found ${answer.hits.length}`);
};

find("wrong").onclick = async () => {
  try {
    await card.ports.emit("summary", 7);
  } catch (error) {
    say(isCardSdkError(error, "INVALID_PARAMS") ? `refused at ${JSON.stringify(error.issues?.[0]?.path)}` : String(error));
  }
};

await list();
draw();
await card.setStatus(`${card.lifecycle.launch} ${portsCompatible("ns:tasks", "ns:markdown")}`, { tone: "success" });
card.log.info("pantry watch is up");
