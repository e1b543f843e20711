import type { TodoCard } from "../../wire/records";
import type { OverviewText, Translate } from "../contract";
import { openCount } from "./steps";

/** The words behind the title: "3 open". */
export function todoMeta(card: TodoCard, t: Translate): string {
  const { items } = card.content;
  if (items.length === 0) return "";
  const open = openCount(items);
  return open === 0 ? t("todo.allDone") : t("todo.open", { count: open });
}

export function todoOverview(card: TodoCard, t: Translate): OverviewText {
  const { items } = card.content;
  if (items.length === 0) return { primary: t("todo.none") };
  const open = openCount(items);
  const failing = items.some((item) => item.status === "error");
  return {
    primary: todoMeta(card, t),
    progress: 1 - open / items.length,
    tone: failing ? "danger" : open === 0 ? "success" : "default",
  };
}
