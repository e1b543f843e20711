import { askForAgent } from "../actions/agents";
import { addCard, type Addable } from "../actions/cards";
import { cardBodies } from "../cards/registry";
import { PackageIcon } from "../packages/PackageIcon";
import { PlusIcon } from "../shell/icons";
import type { MenuEntry } from "../shell/Menu";
import type { Session } from "../state/session";
import type { Point } from "./geometry";
import { revealed } from "./viewport";

export const ADDABLE_KINDS = ["note", "todo", "kanban", "sticky", "terminal", "agent", "chat", "budget"] as const;

/** The drag data type of a card that is being dragged in from the tray. */
export const DRAG_TYPE = "application/x-cardloom-card";

export function parseAddable(text: string): Addable | null {
  if (text === "") return null;
  const [kind, packageId] = text.split("\n");
  if (kind === "custom" && packageId !== undefined) return { kind, packageId };
  const known = ADDABLE_KINDS.find((each) => each === kind);
  return known === undefined ? null : { kind: known };
}

export function writeAddable({ kind, packageId }: Addable): string {
  return packageId === undefined ? kind : `${kind}\n${packageId}`;
}

/** The entries of the add menu: the canvas's own kinds, then the cards of packages. */
export function addEntries(session: Session, at: Point | (() => Point)): MenuEntry[] {
  const { t } = session;
  const place = () => (typeof at === "function" ? at() : at);
  const add = (what: Addable) => void addAndSelect(session, what, place());
  const own: MenuEntry[] = ADDABLE_KINDS.map((kind) => {
    const body = cardBodies[kind];
    const label = kind === "agent" ? `${t(body.label)}…` : t(body.label);
    return { id: kind, label, icon: <body.icon size={16} />, run: () => add({ kind }) };
  });
  return [
    ...own,
    { id: "packages", heading: t("add.packages") },
    ...session.app.get().packages.map(
      (each): MenuEntry => ({
        id: each.packageId,
        label: each.displayName,
        description: each.description,
        icon: <PackageIcon icon={each.icon} size={16} />,
        run: () => add({ kind: "custom", packageId: each.packageId }),
      }),
    ),
    {
      id: "open-packages",
      label: t("packages.open"),
      description: t("packages.about"),
      icon: <PlusIcon size={14} />,
      run: () => session.ui.update((ui) => ({ ...ui, overlay: "packages" })),
    },
  ];
}

/** Adds a card where it was let go; an agent's window opens first. */
export async function addWhereDropped(session: Session, what: Addable, at: Point): Promise<void> {
  if (what.kind === "agent") askForAgent(session, at, true);
  else await addCard(session, what, at, true);
}

export async function addAndSelect(session: Session, what: Addable, at: Point): Promise<void> {
  if (what.kind === "agent") return askForAgent(session, at);
  const card = await addCard(session, what, at);
  if (card === null) return;
  session.ui.update((ui) => ({ ...ui, selection: { cardIds: [card.id], arrowIds: [] } }));
  revealed.set({ cardId: card.id });
}
