import { CARD_EVENTS, CARD_EVENT_NAMES, CARD_LIMITS, CARD_METHOD_NAMES, checkSettings, jsonLength } from "@cardloom/protocol";
import type { CardEventName, Chrome, PermissionId } from "@cardloom/protocol";
import { attentionShown, badgeShown, overviewShown, statusShown, titleShown } from "../chrome";
import { CardSdkError } from "../errors";
import { PROTOCOL } from "../version";
import { permissionDenied } from "./gate";
import type { Answers, World } from "./world";

/** The answers about the card itself: handshake, chrome, dialogs, settings, surroundings, permissions. */
export function ownAnswers(world: World): Answers {
  const { shown } = world;
  const show = (parts: Partial<Chrome>) => {
    shown.chrome = { ...shown.chrome, ...parts };
  };
  return {
    "host.ready": ({ protocol }) => {
      if (protocol > PROTOCOL) throw new CardSdkError("PROTOCOL_MISMATCH", `This host speaks protocol ${PROTOCOL}.`);
      return world.context();
    },
    "host.capabilities": () => ({ protocol: PROTOCOL, methods: CARD_METHOD_NAMES, events: CARD_EVENT_NAMES }),
    "host.log": (line) => void shown.log.push(line),
    "host.pong": () => undefined,
    "events.subscribe": ({ topics, agentIds = [] }) => {
      const granted = topics.filter((topic) => {
        const { permission } = CARD_EVENTS[topic as CardEventName];
        return permission === null || world.effective.has(permission);
      });
      if (granted.includes("agents.output")) {
        const far = agentIds.find((id) => !world.peers.some(({ cardId }) => cardId === id));
        if (far !== undefined) throw new CardSdkError("NOT_CONNECTED", `No arrow joins this card to ${far}.`);
        world.outputOf = agentIds;
      }
      for (const topic of granted) world.topics.add(topic);
      return { topics: granted };
    },
    "events.unsubscribe": ({ topics }) => {
      for (const topic of topics) world.topics.delete(topic);
    },
    "card.getInfo": () => world.instance(),
    "card.setTitle": (params) => show(titleShown(params)),
    "card.setStatus": (params) => show(statusShown(params)),
    "card.setBadge": (params) => show(badgeShown(params)),
    "card.setOverview": (params) => show(overviewShown(params)),
    "card.attention": (params) => show(attentionShown(params)),
    "card.requestResize": ({ w, h }) => {
      const { minSize, maxSize } = world.manifest.card;
      const within = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
      world.size = { w: within(w, minSize.w, maxSize.w), h: within(h, minSize.h, maxSize.h) };
      world.tell("lifecycle.resized", world.size);
      return world.size;
    },
    "card.openLink": ({ url }) => {
      if (!/^https:/i.test(url)) throw new CardSdkError("INVALID_PARAMS", "Only https addresses can be opened.", []);
      if (world.person.opensLinks) shown.links.push(url);
      return { opened: world.person.opensLinks };
    },
    "card.focus": ({ cardId }) => void shown.focused.push(cardId),
    "card.spawn": (params) => {
      if (shown.spawned.length >= CARD_LIMITS.spawnsPerInstance) {
        throw new CardSdkError("QUOTA_EXCEEDED", `A card may have ${CARD_LIMITS.spawnsPerInstance} spawned cards.`);
      }
      const cardId = `c_spawned_${shown.spawned.length + 1}`;
      shown.spawned.push({ ...params, cardId });
      return { cardId };
    },
    "ui.toast": (params) => void shown.toasts.push(params),
    "ui.confirm": (params) => {
      shown.questions.push(params);
      return { confirmed: world.person.confirms };
    },
    "ui.setMenu": ({ items }) => {
      shown.menu = items;
    },
    "settings.get": () => world.settings(),
    "settings.set": ({ values }) => {
      const issues = checkSettings(world.manifest.settings, values);
      const [first] = issues;
      if (first) throw new CardSdkError("INVALID_PARAMS", `${first.key}: ${first.message}`, issues);
      world.values = { ...world.values, ...values };
      world.tell("settings.changed", world.settings());
      return world.settings();
    },
    "settings.open": () => {
      shown.settingsOpened += 1;
    },
    "theme.get": () => world.theme,
    "i18n.get": () => world.i18n(),
    "workspace.get": () => world.workspace(),
    "permissions.list": () => world.permissions(),
    "permissions.request": ({ ids }) => {
      const granted = newlyGranted(world, ids);
      world.granted = [...new Set([...world.granted, ...granted])];
      world.tell("permissions.changed", world.permissions());
      return { granted };
    },
    "clipboard.writeText": ({ text }) => void shown.copied.push(text),
    ...storageAnswers(world),
  };
}

function newlyGranted(world: World, ids: readonly PermissionId[]): readonly PermissionId[] {
  const optional = new Set(world.manifest.permissions.filter((one) => one.optional).map(({ id }) => id));
  const stray = ids.find((id) => !optional.has(id));
  if (stray !== undefined) throw permissionDenied(stray);
  const { grants } = world.person;
  return ids.filter((id) => world.granted.includes(id) || grants === true || (grants !== false && grants.includes(id)));
}

function storageAnswers({ stores }: World): Answers {
  const quotas = { instance: CARD_LIMITS.instanceStorageBytes, package: CARD_LIMITS.packageStorageBytes };
  const used = (store: ReadonlyMap<string, string>) =>
    [...store].reduce((sum, [key, text]) => sum + key.length + text.length, 0);
  return {
    "storage.get": ({ scope, key }) => {
      const text = stores[scope].get(key);
      return { exists: text !== undefined, value: text === undefined ? null : JSON.parse(text) };
    },
    "storage.set": ({ scope, key, value }) => {
      if (jsonLength(value) > CARD_LIMITS.storageValueBytes) throw new CardSdkError("TOO_LARGE", `${key} is too large.`);
      const after = new Map(stores[scope]).set(key, JSON.stringify(value));
      if (after.size > CARD_LIMITS.storageKeys || used(after) > quotas[scope]) {
        throw new CardSdkError("QUOTA_EXCEEDED", `The ${scope} store is full.`);
      }
      stores[scope].set(key, JSON.stringify(value));
    },
    "storage.delete": ({ scope, key }) => void stores[scope].delete(key),
    "storage.clear": ({ scope }) => stores[scope].clear(),
    "storage.keys": ({ scope, prefix = "" }) => ({
      keys: [...stores[scope].keys()].filter((key) => key.startsWith(prefix)).sort(),
    }),
    "storage.usage": ({ scope }) => ({ bytes: used(stores[scope]), quota: quotas[scope], keys: stores[scope].size }),
  };
}
