import { added, firstSteps, openSteps, openTasks, ticked, withTasks } from "./steps.js";

const WORDS = {
  en: {
    you: "you",
    add: "Add",
    what: "Another step",
    ship: "Ship",
    open_one: "{{count}} step open",
    open_other: "{{count}} steps open",
    ready: "Ready to ship",
    sure: "Ship {{version}}?",
    asks: "{{name}} asks to ship. All steps are ticked off.",
    shipped: "{{version}} is shipped",
    next: "the next version",
  },
  ru: {
    you: "вы",
    add: "Добавить",
    what: "Ещё один шаг",
    ship: "Выпустить",
    open_one: "Открыт {{count}} шаг",
    open_few: "Открыто {{count}} шага",
    open_many: "Открыто {{count}} шагов",
    ready: "Можно выпускать",
    sure: "Выпустить {{version}}?",
    asks: "{{name}} просит выпустить. Все шаги отмечены.",
    shipped: "{{version}} выпущена",
    next: "следующая версия",
  },
  zh: {
    you: "你",
    add: "添加",
    what: "新的步骤",
    ship: "发布",
    open_other: "还有 {{count}} 个步骤",
    ready: "可以发布",
    sure: "发布 {{version}}？",
    asks: "{{name}} 请求发布。所有步骤已完成。",
    shipped: "{{version}} 已发布",
    next: "下一版本",
  },
};

/** Runs the checklist in a page. `translate` makes a translator of words that follows the card. */
export async function start(card, page, translate) {
  const translator = translate(WORDS);
  const { t } = translator;
  let steps = (await card.storage.get("steps")) ?? firstSteps();

  async function become(next) {
    steps = next;
    draw();
    await card.storage.set("steps", steps);
    await Promise.all([tell(), show()]);
  }

  /** Around the card, and to agents: they can ask to ship while nothing is open. */
  async function show() {
    const open = openSteps(steps).length;
    const tone = open === 0 ? "success" : "default";
    const text = open === 0 ? t("ready") : t("open", { count: open });
    await Promise.all([
      card.setBadge(open || null),
      card.setStatus(text, { tone }),
      card.setOverview({
        primary: text,
        progress: steps.length === 0 ? null : 1 - open / steps.length,
        tone,
        icon: open === 0 ? "rocket-launch" : "list-bullet",
      }),
      card.tools.setEnabled("ship", open === 0 && steps.length > 0),
    ]);
  }

  async function tell() {
    try {
      await card.ports.emit("open", openTasks(steps));
    } catch (error) {
      // Without the permission the checklist keeps to itself; when it goes too fast the next change is told.
      if (error.code !== "PERMISSION_DENIED" && error.code !== "RATE_LIMITED") throw error;
    }
  }

  async function ship(version, name) {
    const yes = await card.ui.confirm({
      title: t("sure", { version }),
      message: t("asks", { name }),
      confirmLabel: t("ship"),
    });
    if (!yes) return false;
    await card.ports.emit("shipped", { type: "shipped", data: { version }, at: Date.now() });
    await card.ui.toast(t("shipped", { version }), { tone: "success" });
    await become(steps.map((step) => ({ ...step, by: null, note: null })));
    return true;
  }

  function draw() {
    const list = element("ul", { className: "ns-list" }, ...steps.map(row));
    const text = element("input", { className: "ns-input ns-grow", placeholder: t("what"), ariaLabel: t("what") });
    const add = () => {
      if (text.value.trim() !== "") void become(added(steps, text.value.trim()));
    };
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter") add();
    });
    const ready = steps.length > 0 && openSteps(steps).length === 0;
    page.replaceChildren(
      list,
      element("div", { className: "ns-row" }, text, button("ns-btn", t("add"), add)),
      button("ns-btn ns-btn--primary", t("ship"), () => void ship(t("next"), t("you")), !ready),
    );
  }

  function row(step) {
    const done = step.by !== null;
    const box = element("input", { type: "checkbox", checked: done, id: `step-${step.id}` });
    box.addEventListener("change", () => void become(ticked(steps, step.id, box.checked ? t("you") : null)));
    const label = element("label", { htmlFor: box.id, className: done ? "is-done ns-muted" : "", textContent: step.text });
    const title = step.note ?? "";
    const by = done ? [element("span", { className: "ns-badge ns-badge--success", textContent: step.by, title })] : [];
    return element("li", { className: "ns-list-item ns-row" }, box, label, ...by);
  }

  card.tools.handle("list", () => steps.map((step) => ({ ...step, done: step.by !== null })));
  card.tools.handle("add", async ({ text }) => {
    await become(added(steps, text));
    return `Step ${steps.at(-1).id} is added.`;
  });
  card.tools.handle("check", async ({ id, done = true, note }, { agent }) => {
    await become(ticked(steps, id, done ? agent.name : null, note));
    const open = openSteps(steps).length;
    return open === 0 ? "All steps are ticked off. You may ask to ship." : `${open} steps are open.`;
  });
  card.tools.handle("ship", async ({ version }, { agent, progress }) => {
    progress("The user is asked.");
    await card.attention("needs-input", t("asks", { name: agent.name }));
    try {
      if (!(await ship(version, agent.name))) throw new Error("The user does not want to ship now.");
    } finally {
      await card.attention("none");
    }
    return `${version} is shipped.`;
  });
  card.ports.onMessage((tasks) => void become(withTasks(steps, tasks)), { input: "steps" });
  translator.onChange(() => {
    draw();
    void show();
  });

  draw();
  await show();
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function button(className, text, onClick, disabled = false) {
  const made = element("button", { className, textContent: text, type: "button", disabled });
  made.addEventListener("click", onClick);
  return made;
}
