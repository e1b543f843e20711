import { useMemo, type ReactNode } from "react";
import { toggleAgents } from "../actions/agents";
import { undo, redo } from "../actions/history";
import { addAndSelect, ADDABLE_KINDS } from "../canvas/adding";
import { useCenter, useViewport } from "../canvas/viewport";
import { cardBodies } from "../cards/registry";
import { toggleFiles } from "../files/actions";
import { toldOf } from "../i18n/reasonOf";
import { PackageIcon } from "../packages/PackageIcon";
import { useStore } from "../state/store";
import { openBudgets, openTimeline, openUsage } from "../usage/actions";
import { useSession, useT } from "./context";
import { LANGUAGES, SCHEMES } from "./LookMenus";

export interface Command {
  id: string;
  group: string;
  label: string;
  detail?: string;
  hint?: string;
  icon?: ReactNode;
  /** It leads away from where the person is now: to another card or workspace. */
  leads?: true;
  run(): void;
}

/** Everything the palette can do, in the order it is shown while nothing is typed. */
export function useCommands(): Command[] {
  const session = useSession();
  const t = useT();
  const viewport = useViewport();
  const center = useCenter();
  const cards = useStore(session.canvas, (state) => state?.cards);
  const app = useStore(session.app, (known) => known);
  return useMemo(() => {
    const select = (cardId: string) => {
      session.ui.update((ui) => ({ ...ui, selection: { cardIds: [cardId], arrowIds: [] } }));
      viewport.goTo(cardId);
    };
    const toggle = () => session.ui.update((ui) => ({ ...ui, inspectorOpen: !ui.inspectorOpen }));
    const adding: Command[] =
      cards === undefined
        ? []
        : [
            ...ADDABLE_KINDS.map((kind): Command => {
              const { icon: Icon, label } = cardBodies[kind];
              return {
                id: `add-${kind}`,
                group: t("palette.add"),
                label: t("add.one", { kind: t(label) }),
                icon: <Icon size={16} />,
                // An agent is asked about in a window first.
                ...(kind === "agent" ? {} : { leads: true }),
                run: () => void addAndSelect(session, { kind }, center()),
              };
            }),
            ...app.packages.map((each): Command => {
              return {
                id: `add-${each.packageId}`,
                group: t("palette.add"),
                label: t("add.one", { kind: each.displayName }),
                detail: each.description,
                icon: <PackageIcon icon={each.icon} size={16} />,
                leads: true,
                run: () => void addAndSelect(session, { kind: "custom", packageId: each.packageId }, center()),
              };
            }),
          ];
    const going = [...(cards?.values() ?? [])].map((card): Command => {
      const { icon: Icon, label } = cardBodies[card.kind];
      return {
        id: `go-${card.id}`,
        group: t("palette.go"),
        label: card.name,
        detail: t(label),
        icon: <Icon size={16} />,
        leads: true,
        run: () => select(card.id),
      };
    });
    const view: Command[] = [
      { id: "chats", label: t("chat.open"), run: () => location.assign("/chat") },
      { id: "fit", label: t("view.fit"), hint: "1", run: () => viewport.fit() },
      { id: "actual", label: t("view.actual"), hint: "0", run: () => viewport.zoomTo(1) },
      { id: "undo", label: t("undo.undo"), hint: "Ctrl Z", run: () => void undo(session) },
      { id: "redo", label: t("undo.redo"), hint: "Ctrl Shift Z", run: () => void redo(session) },
      { id: "files", label: t("files.toggle"), detail: t("files.about"), hint: "F", run: () => toggleFiles(session) },
      { id: "agents", label: t("agents.open"), detail: t("agents.about"), hint: "G", run: () => toggleAgents(session) },
      { id: "panel", label: t("panel.toggle"), hint: "I", run: toggle },
      { id: "usage", label: t("usage.open"), detail: t("usage.about"), run: () => openUsage(session) },
      ...(cards === undefined ? [] : [{ id: "budgets", label: t("budget.change"), detail: t("budget.about"), run: () => openBudgets(session) }]),
      ...[...(cards?.values() ?? [])].flatMap((card) =>
        card.kind === "agent"
          ? [{ id: `timeline-${card.id}`, label: t("timeline.title", { name: card.name }), run: () => openTimeline(session, card.id) }]
          : [],
      ),
      {
        id: "packages",
        label: t("packages.open"),
        detail: t("packages.about"),
        run: () => session.ui.update((ui) => ({ ...ui, overlay: "packages" as const })),
      },
      {
        id: "help",
        label: t("help.open"),
        hint: "?",
        run: () => session.ui.update((ui) => ({ ...ui, overlay: "help" as const })),
      },
    ].map((command) => ({ ...command, group: t("palette.commands") }));
    const places = app.workspaces.map(
      (workspace): Command => ({
        id: `workspace-${workspace.id}`,
        group: t("workspace.list"),
        label: workspace.name,
        detail: workspace.problem === null ? workspace.path : toldOf(t, workspace.problem),
        leads: true,
        run: () => void session.show(workspace.id),
      }),
    );
    const looks: Command[] = [
      ...SCHEMES.map((scheme) => ({
        id: `scheme-${scheme}`,
        group: t("theme.label"),
        label: t(`theme.${scheme}`),
        run: () => session.setPreferences({ scheme }),
      })),
      ...LANGUAGES.map(({ id, name }) => ({
        id: `language-${id}`,
        group: t("language.label"),
        label: name,
        run: () => session.setPreferences({ language: id }),
      })),
    ];
    return [...adding, ...view, ...going, ...places, ...looks];
  }, [session, t, viewport, center, cards, app]);
}
