import { useEffect, useState, type FormEvent } from "react";
import { createAgent } from "../actions/agents";
import { useSession, useT } from "../shell/context";
import { WarningIcon } from "../shell/icons";
import { Modal } from "../shell/Modal";
import { DialogFoot } from "../shell/DialogFoot";
import { Problem } from "../shell/Problem";
import type { Session } from "../state/session";
import { useStore } from "../state/store";
import type { HarnessInfo } from "../wire/records";
import styles from "./agents.module.css";
import { EMPTY_DRAFT, faultOf, namesProgram, usable, wishesOf, withHarness, type Draft } from "./draft";
import { HarnessList } from "./HarnessList";
import { WhereFields } from "./WhereFields";

/** The window that makes an agent: which one, where, and with what to begin. */
export function NewAgent() {
  const session = useSession();
  const wanted = useStore(session.ui, (ui) => ui.newAgent);
  return wanted === null ? null : <Window />;
}

function Window() {
  const session = useSession();
  const t = useT();
  const [harnesses, setHarnesses] = useState<readonly HarnessInfo[] | null>(null);
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [looks, setLooks] = useState(0);
  const [looking, setLooking] = useState(true);
  const [creating, setCreating] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const close = () => session.ui.update((ui) => ({ ...ui, newAgent: null }));
  const change = (fields: Partial<Draft>) => setDraft((now) => ({ ...now, ...fields }));

  const choose = (harness: HarnessInfo) => setDraft((now) => withHarness(now, harness, namesOf(session)));

  // Looked for when the window opens, and anew when the person asks for it.
  useEffect(() => {
    session.client
      .call("agent.harnesses", { again: looks > 0 })
      .then((found) => {
        setHarnesses(found.harnesses);
        const first = found.harnesses.find((harness) => usable(harness) && !namesProgram(harness));
        if (first !== undefined && looks === 0) setDraft((now) => withHarness(now, first, namesOf(session)));
      })
      .catch((error: unknown) => session.report("fail.harnesses", error))
      .finally(() => setLooking(false));
  }, [session, looks]);

  const fault = faultOf(draft);
  async function create(event: FormEvent) {
    event.preventDefault();
    const place = session.ui.get().newAgent;
    if (creating || fault !== null || place === null) return;
    setCreating(true);
    setProblem(null);
    const refused = await createAgent(session, wishesOf(draft), place.at, place.exact);
    setCreating(false);
    if (refused === null) close();
    else setProblem(refused);
  }

  const { harness } = draft;
  return (
    <Modal title={t("newAgent.title")} wide onClose={close}>
      <form className={styles["window"]} onSubmit={(event) => void create(event)}>
        <div className={styles["columns"]}>
          <HarnessList
            harnesses={harnesses}
            looking={looking}
            chosen={harness?.id ?? null}
            onChoose={choose}
            onAgain={() => {
              setLooking(true);
              setLooks(looks + 1);
            }}
          />
          <div className={styles["fields"]}>
            <div className={styles["pair"]}>
              <label className="field">
                <span>{t("newAgent.name")}</span>
                <input value={draft.title} maxLength={120} onChange={(event) => change({ title: event.target.value })} />
              </label>
              {harness !== null && harness.abilities.modelChoice ? (
                <label className="field">
                  <span>{t("agent.model")}</span>
                  <input
                    value={draft.model}
                    maxLength={200}
                    placeholder={t("newAgent.default")}
                    spellCheck={false}
                    onChange={(event) => change({ model: event.target.value })}
                  />
                </label>
              ) : null}
            </div>
            {harness !== null && namesProgram(harness) ? (
              <label className="field">
                <span>{t("newAgent.command")}</span>
                <input
                  className="mono"
                  value={draft.command}
                  spellCheck={false}
                  placeholder={harness.id === "acp" ? "gemini --experimental-acp" : "aider --no-auto-commits"}
                  onChange={(event) => change({ command: event.target.value })}
                />
                <small className="muted">{t(fault === "newAgent.quote" ? fault : "newAgent.commandHint")}</small>
              </label>
            ) : null}
            <WhereFields draft={draft} onChange={change} />
            <label className="field">
              <span>{t("newAgent.first")}</span>
              <textarea
                rows={3}
                maxLength={20_000}
                placeholder={t("newAgent.firstHint")}
                value={draft.prompt}
                onChange={(event) => change({ prompt: event.target.value })}
                onKeyDown={(event) => {
                  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
                }}
              />
            </label>
            {harness?.abilities.dangerous === true ? <Dangerous draft={draft} onChange={change} /> : null}
          </div>
        </div>
        <Problem text={problem} />
        <DialogFoot onCancel={close} disabled={creating || fault !== null}>
          {creating ? t("newAgent.creating") : t("newAgent.create")}
        </DialogFoot>
      </form>
    </Modal>
  );
}

function namesOf(session: Session): ReadonlySet<string> {
  return new Set([...(session.canvas.get()?.cards.values() ?? [])].map((card) => card.name));
}

function Dangerous({ draft, onChange }: { draft: Draft; onChange(fields: Partial<Draft>): void }) {
  const t = useT();
  return (
    <div className={styles["dangerous"]}>
      <label className="check">
        <input
          type="checkbox"
          checked={draft.dangerous}
          onChange={(event) => onChange({ dangerous: event.target.checked })}
        />
        <span>{t("newAgent.dangerous")}</span>
      </label>
      {draft.dangerous ? (
        <p className="ask-rights" role="alert">
          <WarningIcon size={18} />
          <span>{t("newAgent.warning")}</span>
        </p>
      ) : null}
    </div>
  );
}
