import { MockHost, agent, peer, port } from "../src/testing";

/** The manifest of the card that these tests are about. */
export const MANIFEST = {
  manifestVersion: 1,
  name: "tide-clock",
  displayName: { en: "Tide clock", ru: "Часы прилива" },
  version: "1.0.0",
  protocol: 1,
  card: { defaultSize: { w: 420, h: 320 }, minSize: { w: 300, h: 200 }, maxSize: { w: 800, h: 600 } },
  permissions: [
    { id: "agents.read", reason: { en: "Shows who is up.", ru: "Показывает, кто на ногах." } },
    { id: "agents.output", optional: true },
    { id: "fs.write", optional: true },
    { id: "network", hosts: ["tides.example.org", "*.example.net:8443"], optional: true },
    { id: "network.local", optional: true },
    { id: "cards.connected", optional: true },
  ],
  settings: [
    { key: "place", type: "string", label: "Place", default: "Brest", maxLength: 10 },
    { key: "count", type: "number", label: "Count", min: 1, max: 9 },
    { key: "token", type: "secret", label: "Token" },
  ],
  ports: {
    inputs: [
      { id: "notes", label: "Notes", type: "ns:text" },
      { id: "lookup", label: { en: "Look up", ru: "Найти" }, type: "ns:text", mode: "request", response: { type: "ns:json" } },
    ],
    outputs: [
      { id: "summary", label: "Summary", type: "ns:markdown", retain: true },
      { id: "tide", label: "Tide", type: "ns:number" },
    ],
  },
  tools: [
    { name: "add", description: "Adds a tide.", inputSchema: { type: "object" }, timeoutMs: 5000 },
    { name: "list", description: "Lists tides.", inputSchema: { type: "object" }, readOnly: true },
  ],
};

/** A host on which the card comes back, joined to an agent and to a card like itself, beside a shell. */
export function joinedHost(): MockHost {
  return new MockHost({
    manifest: MANIFEST,
    permissions: ["agents.read"],
    agents: [agent("c_agent"), agent("c_shell", { kind: "shell", harness: "shell-bash" })],
    peers: [peer("c_agent", "agent"), peer("c_tide", "custom", { inputs: [port("in", "ns:text")] })],
    spawnInit: { depth: 3 },
    launch: "resumed",
  });
}
