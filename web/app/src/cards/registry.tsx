import { AgentBody } from "./agent/AgentBody";
import { agentMeta, agentOverview, agentRuns, agentTone } from "./agent/state";
import type { Card, CardBodies, CardBody, CardBodyProps, CardKind, Translate } from "./contract";
import { BudgetBody } from "./budget/BudgetBody";
import { CustomBody } from "./custom/CustomBody";
import { OtherBody } from "./custom/OtherBody";
import { customMeta, customOverview, customRuns, customTone } from "./custom/state";
import { ChatBody } from "./chat/ChatBody";
import { chatMeta, chatOverview, chatTone } from "./chat/state";
import { kindIcons } from "./icons";
import { KanbanBody } from "./kanban/KanbanBody";
import { kanbanOverview } from "./kanban/summary";
import { NoteBody } from "./note/NoteBody";
import { noteOverview } from "./note/summary";
import { StickyBody } from "./sticky/StickyBody";
import { TodoBody } from "./todo/TodoBody";
import { todoMeta, todoOverview } from "./todo/summary";
import { terminalMeta, terminalOverview, terminalRuns, terminalTone } from "./terminal/state";
import { TerminalBody } from "./terminal/TerminalBody";

type CardOf<Kind extends CardKind> = Extract<Card, { kind: Kind }>;

/** What a kind of card is, written against its own record. */
type BodyOf<Shown extends Card> = Omit<CardBody, "component" | "headerMeta" | "headerTone" | "overview" | "running"> & {
  component: (props: CardBodyProps<Shown>) => React.ReactNode;
  headerMeta?(card: Shown, t: Translate): string;
  headerTone?(card: Shown): ReturnType<NonNullable<CardBody["headerTone"]>>;
  overview(card: Shown, t: Translate): ReturnType<CardBody["overview"]>;
  running?(card: Shown): boolean;
};

/** The page looks a body up by the card's own kind, so that a body is never handed a card of another. */
function ofKind<Kind extends CardKind>(_kind: Kind, body: BodyOf<CardOf<Kind>>): CardBody {
  return body as unknown as CardBody;
}

/** What draws each kind of card. */
export const cardBodies: CardBodies = {
  note: ofKind("note", {
    component: NoteBody,
    icon: kindIcons.note,
    label: "kind.note",
    defaultSize: { w: 320, h: 240 },
    minSize: { w: 160, h: 100 },
    overview: noteOverview,
    hints: [
      { keys: "Enter", label: "hint.noteEdit" },
      { keys: "Esc", label: "hint.noteRead" },
      { keys: "Ctrl+F", label: "hint.noteFind" },
    ],
  }),
  todo: ofKind("todo", {
    component: TodoBody,
    icon: kindIcons.todo,
    label: "kind.todo",
    defaultSize: { w: 300, h: 280 },
    minSize: { w: 180, h: 130 },
    headerMeta: todoMeta,
    overview: todoOverview,
    hints: [
      { keys: "Space", label: "hint.todoTick" },
      { keys: "Enter / F2", label: "hint.edit" },
      { keys: "Alt+↑ ↓", label: "hint.todoMove" },
      { keys: "Del", label: "hint.delete" },
    ],
  }),
  kanban: ofKind("kanban", {
    component: KanbanBody,
    icon: kindIcons.kanban,
    label: "kind.kanban",
    defaultSize: { w: 460, h: 300 },
    minSize: { w: 220, h: 160 },
    overview: kanbanOverview,
    hints: [
      { keys: "↑ ↓ ← →", label: "hint.kanbanGo" },
      { keys: "Alt+↑ ↓ ← →", label: "hint.kanbanMove" },
      { keys: "Enter / F2", label: "hint.edit" },
      { keys: "@", label: "hint.kanbanAssign" },
      { keys: "Del", label: "hint.delete" },
    ],
  }),
  sticky: ofKind("sticky", {
    component: StickyBody,
    icon: kindIcons.sticky,
    label: "kind.sticky",
    defaultSize: { w: 160, h: 130 },
    minSize: { w: 100, h: 80 },
    bare: true,
    overview: (card) => ({ primary: card.title ?? "" }),
    hints: [{ keys: "Enter", label: "hint.edit" }],
  }),
  terminal: ofKind("terminal", {
    component: TerminalBody,
    icon: kindIcons.terminal,
    label: "kind.terminal",
    defaultSize: { w: 560, h: 340 },
    minSize: { w: 240, h: 140 },
    headerMeta: terminalMeta,
    headerTone: terminalTone,
    overview: terminalOverview,
    keepMounted: true,
    running: terminalRuns,
    hints: [
      { keys: "Ctrl+F", label: "hint.terminalFind" },
      { keys: "Ctrl+Shift+C / V", label: "hint.terminalCopy" },
      { keys: "Ctrl+F6", label: "hint.terminalLeave" },
    ],
  }),
  agent: ofKind("agent", {
    component: AgentBody,
    icon: kindIcons.agent,
    label: "kind.agent",
    defaultSize: { w: 680, h: 480 },
    minSize: { w: 340, h: 240 },
    headerMeta: agentMeta,
    headerTone: agentTone,
    overview: agentOverview,
    keepMounted: true,
    running: agentRuns,
    hints: [
      { keys: "Alt+Y / A / N", label: "hint.agentAnswer" },
      { keys: "Alt+↑ ↓", label: "hint.agentMove" },
      { keys: "Ctrl+Enter", label: "hint.agentSendNow" },
      { keys: "Ctrl+F6", label: "hint.terminalLeave" },
    ],
  }),
  budget: ofKind("budget", {
    component: BudgetBody,
    icon: kindIcons.budget,
    label: "kind.budget",
    defaultSize: { w: 300, h: 220 },
    minSize: { w: 200, h: 120 },
    overview: (_card, t) => ({ primary: t("kind.budget") }),
    hints: [{ keys: "Enter", label: "budget.change" }],
  }),
  chat: ofKind("chat", {
    component: ChatBody,
    icon: kindIcons.chat,
    label: "kind.chat",
    defaultSize: { w: 480, h: 560 },
    minSize: { w: 280, h: 240 },
    headerMeta: chatMeta,
    headerTone: chatTone,
    overview: chatOverview,
    keepMounted: true,
    hints: [
      { keys: "Enter", label: "hint.chatSend" },
      { keys: "Shift+Enter", label: "hint.chatLine" },
      { keys: "Esc", label: "hint.chatStop" },
    ],
  }),
  custom: ofKind("custom", {
    component: CustomBody,
    icon: kindIcons.custom,
    label: "kind.custom",
    defaultSize: { w: 280, h: 200 },
    minSize: { w: 180, h: 120 },
    headerMeta: customMeta,
    headerTone: customTone,
    overview: customOverview,
    running: customRuns,
  }),
  other: ofKind("other", {
    component: OtherBody,
    icon: kindIcons.other,
    label: "kind.other",
    defaultSize: { w: 280, h: 180 },
    minSize: { w: 160, h: 100 },
    overview: (card) => ({ primary: card.type ?? "" }),
  }),
};
