import { COLUMNS, addressOf, issuesOf, tasksOf } from "./issues.js";

const EVERY_MS = 60_000;
const LOCAL = "network.local";

const WORDS = {
  en: {
    open: "Open",
    active: "In progress",
    closed: "Closed",
    refresh: "Refresh",
    settings: "Settings",
    none: "Nothing here",
    repository: "Name a repository in the settings.",
    answer: "The server's answer is no list of issues.",
    status: "The server answered with {{status}}.",
    HOST_NOT_ALLOWED: "This server is not among the hosts that the card may reach.",
    PERMISSION_DENIED: "The card may not reach this computer.",
    count_one: "{{count}} open issue",
    count_other: "{{count}} open issues",
  },
  ru: {
    open: "Открыты",
    active: "В работе",
    closed: "Закрыты",
    refresh: "Обновить",
    settings: "Настройки",
    none: "Здесь пусто",
    repository: "Укажите репозиторий в настройках.",
    answer: "Ответ сервера — не список задач.",
    status: "Сервер ответил: {{status}}.",
    HOST_NOT_ALLOWED: "Этого сервера нет среди доступных карточке.",
    PERMISSION_DENIED: "Карточке нельзя обращаться к этому компьютеру.",
    count_one: "{{count}} открытая задача",
    count_few: "{{count}} открытые задачи",
    count_many: "{{count}} открытых задач",
  },
  zh: {
    open: "未处理",
    active: "进行中",
    closed: "已关闭",
    refresh: "刷新",
    settings: "设置",
    none: "暂无内容",
    repository: "请在设置中填写仓库。",
    answer: "服务器的回答不是议题列表。",
    status: "服务器回答 {{status}}。",
    HOST_NOT_ALLOWED: "该服务器不在卡片可访问的主机之列。",
    PERMISSION_DENIED: "卡片无权访问本机。",
    count_other: "{{count}} 个未关闭的议题",
  },
};

/** Runs the board in a page. `translate` makes a translator of words that follows the card. */
export async function start(card, page, translate) {
  const translator = translate(WORDS);
  const { t } = translator;
  let seen = (await card.storage.get("seen")) ?? { address: null, etag: null, issues: [] };
  let fault = null;
  let running = null;
  let timer;

  /** Fetches once; whoever asks meanwhile waits for the same answer. */
  function refresh() {
    running ??= fetchIssues()
      .then(() => (fault = null), (error) => (fault = error))
      .then(show)
      .finally(() => (running = null));
    return running;
  }

  /** Fetches with settings that changed, behind a fetch that began with others. */
  async function refetch() {
    await running;
    await refresh();
  }

  async function fetchIssues() {
    const { values, secrets } = card.settings;
    const address = addressOf(values);
    if (isHere(address) && !card.permissions.has(LOCAL)) await card.permissions.request(LOCAL);
    await card.setStatus("…", { busy: true });
    const known = seen.address === address ? seen.etag : null;
    const response = await card.net.fetch(address, {
      headers: {
        accept: "application/vnd.github+json",
        ...(secrets.token && { authorization: "Bearer {{secret:token}}" }),
        ...(known !== null && { "if-none-match": known }),
      },
    });
    if (response.status === 304) return;
    if (!response.ok) throw Object.assign(new Error("status"), { status: response.status });
    seen = { address, etag: response.headers.get("etag"), issues: issuesOf(await response.json()) };
    await card.storage.set("seen", seen);
    await tell();
  }

  async function tell() {
    try {
      await card.ports.emit("issues", tasksOf(seen.issues));
    } catch (error) {
      if (error.code !== "PERMISSION_DENIED" && error.code !== "RATE_LIMITED") throw error;
    }
  }

  async function show() {
    draw();
    const count = tasksOf(seen.issues).length;
    const text = fault === null ? t("count", { count }) : wordsOf(fault);
    const tone = fault === null ? "default" : "danger";
    await Promise.all([
      card.setStatus(text.slice(0, 80), { tone }),
      card.setBadge(count || null),
      card.setOverview({ primary: text, tone, icon: "bug-ant" }),
    ]);
  }

  function wordsOf(error) {
    const key = error.code ?? error.message;
    const text = t(key, { status: error.status });
    return text === key ? error.message : text;
  }

  function draw() {
    const columns = COLUMNS.map((column) => {
      const issues = seen.issues.filter((issue) => issue.column === column);
      const title = element("h2", { className: "ns-subtitle", textContent: `${t(column)} ${issues.length}` });
      const list = issues.length === 0 ? [element("p", { className: "ns-muted ns-small", textContent: t("none") })] : issues.map(entry);
      return element("section", { className: "ns-stack", ariaLabel: t(column) }, title, ...list);
    });
    page.replaceChildren(
      ...(fault === null ? [] : [element("p", { className: "ns-callout ns-callout--danger", role: "alert", textContent: wordsOf(fault) })]),
      element("div", { className: "columns" }, ...columns),
      element("div", { className: "ns-row" }, button(t("refresh"), () => void refresh()), button(t("settings"), () => void card.settings.open())),
    );
  }

  function entry({ number, title, assignee, url }) {
    const text = `#${number} ${title}${assignee === null ? "" : ` · ${assignee}`}`;
    const made = element("button", { className: "issue ns-surface ns-small", textContent: text, type: "button" });
    if (url !== null) made.addEventListener("click", () => void card.openLink(url));
    return made;
  }

  /** Looks again every minute while somebody sees the board, and at once when somebody does. */
  async function tick() {
    clearTimeout(timer);
    if (card.lifecycle.paused) return;
    await refresh();
    timer = setTimeout(() => void tick(), EVERY_MS);
  }

  card.lifecycle.onVisibility(() => void tick());
  card.settings.onChanged(() => void refetch());
  card.ports.onMessage(() => void refresh(), { input: "refresh" });
  translator.onChange(() => void show());

  draw();
  await tick();
}

function isHere(address) {
  const host = new URL(address).hostname;
  return host === "localhost" || host === "127.0.0.1" || host === "[::1]" || host.endsWith(".localhost");
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function button(text, onClick) {
  const made = element("button", { className: "ns-btn ns-btn--sm", textContent: text, type: "button" });
  made.addEventListener("click", onClick);
  return made;
}
