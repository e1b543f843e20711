import type { TextKey } from "../i18n/catalogue";
import type { HarnessInfo } from "../wire/records";
import { splitArguments } from "./arguments";

export type Where = "workspace" | "folder" | "worktree";

/** What the person has filled in for a new agent, as it stands in the fields. */
export interface Draft {
  harness: HarnessInfo | null;
  title: string;
  model: string;
  command: string;
  where: Where;
  folder: string;
  branch: string;
  prompt: string;
  dangerous: boolean;
}

export const EMPTY_DRAFT: Draft = {
  harness: null,
  title: "",
  model: "",
  command: "",
  where: "workspace",
  folder: "",
  branch: "",
  prompt: "",
  dangerous: false,
};

/** Whether the person names the program: a plain command or an ACP agent. */
export function namesProgram({ id }: Pick<HarnessInfo, "id">): boolean {
  return id === "command" || id === "acp";
}

/** Whether this harness can be started here. */
export function usable(harness: HarnessInfo): boolean {
  return harness.found && harness.problem === null;
}

/** What keeps the draft from being created; null when it can be. */
export function faultOf({ harness, command, where, folder, branch }: Draft): TextKey | "incomplete" | null {
  if (harness === null) return "incomplete";
  if (namesProgram(harness)) {
    const words = splitArguments(command);
    if (words === null) return "newAgent.quote";
    if (words.length === 0) return "newAgent.commandMissing";
  }
  if ((where === "folder" && folder.trim() === "") || (where === "worktree" && branch.trim() === "")) return "incomplete";
  return null;
}

/** The parameters of `agent.create` for a draft without fault, apart from the place. */
export function wishesOf(draft: Draft): Record<string, unknown> {
  const { harness, title, model, command, where, folder, branch, prompt, dangerous } = draft;
  if (harness === null) throw new Error("a draft without a harness has no wishes");
  const { abilities } = harness;
  return {
    harness: harness.id,
    ...(title.trim() !== "" && { title: title.trim() }),
    ...(abilities.modelChoice && model.trim() !== "" && { model: model.trim() }),
    ...(namesProgram(harness) && { arguments: splitArguments(command) ?? [] }),
    ...(where === "folder" && { folder: folder.trim() }),
    ...(where === "worktree" && { worktree: { branch: branch.trim() } }),
    ...(prompt.trim() !== "" && { prompt }),
    ...(abilities.dangerous && dangerous && { dangerous: true }),
  };
}

/** The draft for another harness; a title that the person gave stays. */
export function withHarness(draft: Draft, harness: HarnessInfo, taken: ReadonlySet<string>): Draft {
  const own = draft.title !== "" && draft.title !== freeTitle(draft.harness?.name ?? "", taken);
  return { ...draft, harness, title: own ? draft.title : freeTitle(harness.name, taken) };
}

/** A title that no card has yet: the harness's name, with a number behind it where there is one already. */
export function freeTitle(name: string, taken: ReadonlySet<string>): string {
  let title = name;
  for (let number = 2; taken.has(title); number += 1) title = `${name} ${String(number)}`;
  return title;
}
