import { texts } from "./texts";

/** Texts of the cards' own bodies. */
export const cards = texts({
  "kind.note": { en: "Note", ru: "Заметка", zh: "笔记" },
  "kind.todo": { en: "To-do list", ru: "Список задач", zh: "待办清单" },
  "kind.kanban": { en: "Task board", ru: "Доска задач", zh: "任务看板" },
  "kind.sticky": { en: "Sticky", ru: "Стикер", zh: "便签" },
  "kind.terminal": { en: "Terminal", ru: "Терминал", zh: "终端" },
  "kind.custom": { en: "Custom card", ru: "Своя карточка", zh: "自定义卡片" },
  "kind.other": { en: "Card", ru: "Карточка", zh: "卡片" },
});
