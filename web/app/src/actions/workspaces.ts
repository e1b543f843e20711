import { reasonOf } from "../i18n/reasonOf";
import type { Session } from "../state/session";
import type { ByTexts } from "../state/toasts";

/** Why something did not work; null when it did. */
type Problem = ByTexts | null;

export async function createWorkspace(
  session: Session,
  wanted: { name: string; path: string; createFolder: boolean },
): Promise<Problem> {
  try {
    const workspace = await session.client.call("workspace.create", wanted);
    session.app.update((app) => ({
      ...app,
      workspaces: [...app.workspaces.filter((known) => known.id !== workspace.id), workspace],
    }));
    await session.show(workspace.id);
    return null;
  } catch (error) {
    return (t) => reasonOf(t, error);
  }
}

export async function updateWorkspace(
  session: Session,
  workspaceId: string,
  wanted: { name?: string; path?: string; strict?: boolean },
): Promise<Problem> {
  try {
    const workspace = await session.client.call("workspace.update", { workspaceId, ...wanted });
    session.app.update((app) => ({
      ...app,
      workspaces: app.workspaces.map((known) => (known.id === workspaceId ? workspace : known)),
    }));
    session.assume([{ op: "patchWorkspace", fields: workspace }]);
    if (wanted.path !== undefined && session.workspaceId === workspaceId) await session.show(workspaceId);
    return null;
  } catch (error) {
    return (t) => reasonOf(t, error);
  }
}

/** Takes a workspace out of Cardloom. Its folder on disk is not touched. */
export async function removeWorkspace(session: Session, workspaceId: string): Promise<void> {
  try {
    await session.client.call("workspace.remove", { workspaceId });
  } catch (error) {
    session.report("fail.workspace", error);
  }
}
