import type { AskAnswer, AskEvent } from "@cardloom/protocol/session";
import { useEffect, useId, useRef, useState, type FormEvent } from "react";
import { toldOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import { useStore } from "../state/store";
import { Code } from "./Rendered";
import { useAttempt, usePlace } from "./context";
import { heldBy, revealed } from "./model/rows";
import styles from "./forms.module.css";
import threadStyles from "./thread.module.css";

/** The first question of the run that waits for an answer. It closes by itself when somebody answers elsewhere. */
export default function Asks() {
  const { conversation } = usePlace();
  const asks = useStore(conversation.state, (state) => state.transcript.run?.asks);
  const first = asks?.[0];
  return first === undefined ? null : <Ask key={first.askId} ask={first} more={(asks?.length ?? 1) - 1} />;
}

/** A question as a dialog over its chat alone: other chats, and reading this one, go on. */
function Ask({ ask, more }: { ask: AskEvent; more: number }) {
  const t = useT();
  const attempt = useAttempt();
  const { conversation } = usePlace();
  const heading = useId();
  const box = useRef<HTMLFormElement>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const options = ask.options ?? [];
  const takesText = ask.kind === "input" || ask.custom === true;

  useEffect(() => {
    const at = document.activeElement;
    const isBusyElsewhere = at instanceof HTMLElement && at.matches("input, textarea, [contenteditable]") && at.closest("[data-chat]") === null;
    if (!isBusyElsewhere) box.current?.querySelector<HTMLElement>("[data-first]")?.focus({ preventScroll: true });
  }, []);

  const give = async (answer: AskAnswer) => {
    if (busy) return;
    setBusy(true);
    await attempt(() => conversation.answer(ask.askId, answer));
    setBusy(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen.length > 0) void give({ optionIds: chosen });
    else if (takesText) void give({ text });
  };
  const toggle = (id: string) => setChosen((known) => (known.includes(id) ? known.filter((one) => one !== id) : [...known, id]));

  return (
    <form
      ref={box}
      className={`${threadStyles["ask"] ?? ""} nodrag nowheel`}
      role="alertdialog"
      aria-labelledby={heading}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        void give({ cancelled: true });
      }}
    >
      <h3 id={heading}>
        <i className="dot tone-warning is-busy" /> {revealed(toldOf(t, ask.title))}
        {more > 0 ? <span className="chip tone-warning">{t("chat.asksMore", { count: more })}</span> : null}
      </h3>
      {(ask.text ?? "") === "" ? null : <p>{revealed(ask.text ?? "")}</p>}
      {ask.data === undefined || ask.data === null ? null : (
        <div className={threadStyles["askData"]}>
          {heldBy(ask.data).map(({ name, text: held, language }) => (
            <div key={name}>
              {name === null ? null : <h5>{name}</h5>}
              <Code text={held} language={language} />
            </div>
          ))}
        </div>
      )}
      {ask.multiple === true ? (
        <div className={styles["choices"]}>
          {options.map((option, at) => (
            <label key={option.id} className="check">
              <input type="checkbox" data-first={at === 0 || undefined} checked={chosen.includes(option.id)} onChange={() => toggle(option.id)} />
              <span>
                {optionLabel(option, t)}
                {option.description === undefined ? null : <small className="muted">{option.description}</small>}
              </span>
            </label>
          ))}
        </div>
      ) : null}
      {takesText ? (
        <label className="field">
          <span>{t("chat.askText")}</span>
          <input data-first={options.length === 0 || undefined} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
      ) : null}
      <div className="buttons">
        <button type="button" className="btn" disabled={busy} onClick={() => void give({ cancelled: true })}>
          {t("chat.askDismiss")}
        </button>
        <span className="spring" />
        {ask.multiple === true
          ? null
          : [...options].sort(byWeight).map((option) => (
              <button
                key={option.id}
                type="button"
                className={option.kind === "allow_once" ? "btn is-primary" : "btn"}
                data-first={option.kind === "allow_once" || option === options[0] || undefined}
                title={option.description}
                disabled={busy}
                onClick={() => void give({ optionIds: [option.id] })}
              >
                {optionLabel(option, t)}
              </button>
            ))}
        {ask.multiple === true || takesText ? (
          <button type="submit" className="btn is-primary" disabled={busy || (chosen.length === 0 && !takesText)}>
            {t("chat.askAnswer")}
          </button>
        ) : null}
      </div>
    </form>
  );
}

type Option = NonNullable<AskEvent["options"]>[number];

const WEIGHTS: Readonly<Record<string, number>> = { reject_always: 0, reject_once: 1, allow_always: 2, allow_once: 3 };

/** The usual answer stands last, where the hand is. */
function byWeight(one: Option, other: Option): number {
  return (WEIGHTS[one.kind ?? ""] ?? 0) - (WEIGHTS[other.kind ?? ""] ?? 0);
}

/** The four kinds of permission are said in the person's language; other options speak for themselves. */
function optionLabel(option: Option, t: ReturnType<typeof useT>): string {
  switch (option.kind) {
    case "allow_once":
      return t("chat.allowOnce");
    case "allow_always":
      return t("chat.allowAlways");
    case "reject_once":
      return t("chat.rejectOnce");
    case "reject_always":
      return t("chat.rejectAlways");
    default:
      return option.label;
  }
}
