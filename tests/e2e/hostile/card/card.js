"use strict";
// A card that does its worst. It speaks the envelopes by hand: the attack's name comes with `spawnInit`.

addEventListener("message", (event) => {
  if (event.source !== parent || event.data?.type !== "connect") return;
  const port = event.ports[0];
  let id = 0;
  const answers = new Map();
  const call = (method, params) =>
    new Promise((resolve) => {
      id += 1;
      answers.set(id, resolve);
      port.postMessage({ ns: "nscard", v: 1, kind: "req", id, method, params });
    });
  port.onmessage = ({ data }) => {
    if (data.kind === "res") answers.get(data.id)?.(data);
    if (data.event === "host.ping") call("host.pong", { seq: data.data.seq });
  };
  begin(call);
});

async function begin(call) {
  const { result } = await call("host.ready", { sdkVersion: "1.0.0", protocol: 1 });
  const plan = result.spawnInit;
  const say = (text) => call("card.setStatus", { text: String(text).slice(0, 80) });
  if (plan === undefined) return say("waiting");
  await say(`trying ${plan.attack}`);
  const { attacks } = await import("./attacks.js");
  let outcome;
  try {
    outcome = await attacks[plan.attack](plan);
  } catch (error) {
    outcome = `refused: ${error.name} ${error.message}`;
  }
  return say(`tried: ${outcome}`);
}
