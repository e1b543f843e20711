import { useState } from "react";
import { toldOf } from "../i18n/reasonOf";
import { useStore } from "../state/store";
import type { Workspace } from "../wire/records";
import { useSession, useT } from "./context";
import { ChevronIcon, FolderIcon, PlusIcon, WarningIcon } from "./icons";
import { MenuButton, type MenuEntry } from "./Menu";
import { RemoveWorkspace, WorkspaceForm } from "./WorkspaceForm";

type Open = { what: "create" } | { what: "edit" | "remove"; workspace: Workspace };

/** The name of the workspace; behind it all others and what can be done with this one. */
export function WorkspaceSwitcher() {
  const session = useSession();
  const t = useT();
  const workspaces = useStore(session.app, (app) => app.workspaces);
  const load = useStore(session.load, (known) => known);
  const online = useStore(session.connection, (state) => state.phase === "online");
  const [open, setOpen] = useState<Open | null>(null);
  const shown = load.phase === "none" ? undefined : workspaces.find((workspace) => workspace.id === load.workspaceId);

  const entries = (): MenuEntry[] => [
    ...(workspaces.length > 0 ? [{ id: "list", heading: t("workspace.list") }] : []),
    ...workspaces.map(
      (workspace): MenuEntry => ({
        id: workspace.id,
        label: workspace.name,
        description: workspace.problem === null ? workspace.path : toldOf(t, workspace.problem),
        checked: workspace.id === shown?.id,
        ...(workspace.problem !== null && { icon: <WarningIcon /> }),
        run: () => void session.show(workspace.id),
      }),
    ),
    { id: "line", separator: true },
    {
      id: "create",
      label: t("workspace.create"),
      icon: <PlusIcon />,
      disabled: !online,
      run: () => setOpen({ what: "create" }),
    },
    ...(shown === undefined
      ? []
      : ([
          {
            id: "edit",
            label: t("workspace.edit"),
            icon: <FolderIcon />,
            disabled: !online,
            run: () => setOpen({ what: "edit", workspace: shown }),
          },
          {
            id: "close",
            label: t("workspace.close"),
            disabled: !online,
            run: () => void session.close(shown.id),
          },
          {
            id: "remove",
            label: t("workspace.remove"),
            tone: "danger",
            disabled: !online,
            run: () => setOpen({ what: "remove", workspace: shown }),
          },
        ] satisfies MenuEntry[])),
  ];

  return (
    <>
      <MenuButton className="crumb" label={t("workspace.menu", { name: shown?.name ?? t("workspace.none") })} entries={entries}>
        {shown?.problem ? <WarningIcon size={14} /> : null}
        <span className="crumb-name">{shown?.name ?? t("workspace.none")}</span>
        <ChevronIcon size={14} />
      </MenuButton>
      {open?.what === "create" ? <WorkspaceForm workspace={null} onClose={() => setOpen(null)} /> : null}
      {open?.what === "edit" ? <WorkspaceForm workspace={open.workspace} onClose={() => setOpen(null)} /> : null}
      {open?.what === "remove" ? <RemoveWorkspace workspace={open.workspace} onClose={() => setOpen(null)} /> : null}
    </>
  );
}
