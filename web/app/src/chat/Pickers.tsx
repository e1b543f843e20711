import { DEFAULT_PROFILE_ID, has, INLINE_PROFILE_ID, type ModelInfo } from "@cardloom/protocol/session";
import { reasonOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import { ChevronIcon } from "../shell/icons";
import { MenuButton, type MenuEntry } from "../shell/Menu";
import { useStore } from "../state/store";
import { useAttempt, useBackend, useDesk, usePlace } from "./context";
import styles from "./thread.module.css";

/** Which model answers, and how long it thinks. */
export function ModelPicker() {
  const t = useT();
  const attempt = useAttempt();
  const desk = useDesk();
  const { backend, conversation } = usePlace();
  const { models, modelsFailure } = useBackend(backend);
  const chosen = useStore(conversation.state, (state) => state.info?.model ?? null);
  const own = models?.find((model) => model.id === chosen?.model) ?? (chosen === null ? usual(models) : undefined);
  const levels = own?.thinking ?? [];

  const entries = (): MenuEntry[] => {
    if (models === null || models.length === 0) {
      return [
        { id: "none", heading: modelsFailure === null ? t("chat.noModels") : reasonOf(t, modelsFailure) },
        { id: "again", label: t("failed.again"), run: () => void desk.readModels(backend) },
      ];
    }
    return groups(models).flatMap(([provider, members]) => [
      ...(provider === "" ? [] : [{ id: `of ${provider}`, heading: provider }]),
      ...members.map((model) => ({
        id: model.id,
        label: model.name ?? model.id,
        checked: model.id === own?.id,
        ...(model.name === undefined || model.name === model.id ? {} : { description: model.id }),
        run: () => void attempt(() => conversation.setModel({ model: model.id, ...keptLevel(model, chosen?.thinking) })),
      })),
    ]);
  };
  const thinking = (): MenuEntry[] => [
    {
      id: "",
      label: t("chat.thinkingUsual"),
      checked: chosen?.thinking === undefined,
      run: () => void attempt(() => conversation.setModel({ model: own?.id ?? "" })),
    },
    ...levels.map((level) => ({
      id: level,
      label: level,
      checked: chosen?.thinking === level,
      run: () => void attempt(() => conversation.setModel({ model: own?.id ?? "", thinking: level })),
    })),
  ];
  return (
    <>
      <MenuButton className={`pill ${styles["picker"] ?? ""}`} label={t("chat.model")} entries={entries}>
        <span>{own?.name ?? own?.id ?? chosen?.model ?? t("chat.noModel")}</span>
        <ChevronIcon size={11} />
      </MenuButton>
      {levels.length === 0 ? null : (
        <MenuButton className={`pill ${styles["picker"] ?? ""}`} label={t("chat.thinkingLevel")} entries={thinking}>
          <span>{chosen?.thinking ?? t("chat.thinkingUsual")}</span>
          <ChevronIcon size={11} />
        </MenuButton>
      )}
    </>
  );
}

function usual(models: readonly ModelInfo[] | null): ModelInfo | undefined {
  return models?.find((model) => model.default === true) ?? models?.[0];
}

function keptLevel(model: ModelInfo, level: string | undefined): { thinking?: string } {
  return level !== undefined && model.thinking?.includes(level) === true ? { thinking: level } : {};
}

/** Models by who offers them: the provider, else what stands before the first slash of the id. */
function groups(models: readonly ModelInfo[]): [string, ModelInfo[]][] {
  const found = new Map<string, ModelInfo[]>();
  for (const model of models) {
    const slash = model.id.indexOf("/");
    const provider = model.provider ?? (slash > 0 ? model.id.slice(0, slash) : "");
    found.set(provider, [...(found.get(provider) ?? []), model]);
  }
  return found.size === 1 ? [["", [...models]]] : [...found];
}

/** Who answers: a profile of the backend, or one that is written into this session alone. */
export function ProfilePicker({ onEdit }: { onEdit(which: "catalogue" | "inline"): void }) {
  const t = useT();
  const attempt = useAttempt();
  const { backend, capabilities, conversation } = usePlace();
  const { profiles } = useBackend(backend);
  const info = useStore(conversation.state, (state) => state.info);
  const chosen = info?.profile ?? DEFAULT_PROFILE_ID;
  const nameOf = (id: string) => {
    if (id === DEFAULT_PROFILE_ID) return t("chat.profileDefault");
    if (id === INLINE_PROFILE_ID) return named(info?.profileDoc?.name, t("chat.inline"));
    return named(profiles?.find((one) => one.id === id)?.name, id);
  };

  const entries = (): MenuEntry[] => [
    ...(profiles ?? []).map((profile) => ({
      id: profile.id,
      label: nameOf(profile.id),
      checked: profile.id === chosen,
      ...(profile.description === undefined ? {} : { description: profile.description }),
      run: () => void attempt(() => conversation.setProfile(profile.id)),
    })),
    { id: "line", separator: true as const },
    { id: "inline", label: t("chat.inlineEdit"), checked: chosen === INLINE_PROFILE_ID, run: () => onEdit("inline") },
    ...(has(capabilities, "profiles.edit")
      ? [{ id: "manage", label: t("chat.profilesManage"), run: () => onEdit("catalogue") }]
      : []),
  ];
  return (
    <MenuButton className={`pill ${styles["picker"] ?? ""}`} label={t("chat.profile")} entries={entries}>
      <span>{nameOf(chosen)}</span>
      <ChevronIcon size={11} />
    </MenuButton>
  );
}

function named(name: string | undefined, otherwise: string): string {
  return name === undefined || name === "" ? otherwise : name;
}
