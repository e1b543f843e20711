import { useT } from "../shell/context";
import { WarningIcon } from "../shell/icons";
import type { Dialog } from "../wire/records";
import { originOf, textOf } from "./dialogData";
import { Question } from "./Question";

/** Where the focus begins: a key pressed before anything was read refuses. */
const first = (button: HTMLButtonElement | null) => button?.setAttribute("autofocus", "");

/** A card's prompt for an agent that acts without asking: the whole text, who sends it, and where it came from. */
export function PromptQuestion({ dialog }: { dialog: Dialog }) {
  const t = useT();
  const { data } = dialog;
  const agent = textOf(data["agent"]) ?? "";
  const way = originOf(data["origin"]);
  return (
    <Question
      dialog={dialog}
      full
      title={t("asked.promptTitle", { agent })}
      buttons={(answer, answered) => (
        <>
          <button ref={first} type="button" className="btn is-large" disabled={answered} onClick={() => answer(false)}>
            {t("ask.refuse")}
          </button>
          <button type="button" className="btn is-danger is-solid is-large" disabled={answered} onClick={() => answer(true)}>
            {t("asked.promptSend")}
          </button>
        </>
      )}
    >
      <p className="ask-rights">
        <WarningIcon size={18} />
        <span>{t("asked.promptWarning")}</span>
      </p>
      <dl className="rows">
        <div className="row">
          <dt>{t("asked.promptFrom")}</dt>
          <dd>{textOf(data["from"]) ?? dialog.title}</dd>
        </div>
        <div className="row">
          <dt>{t("asked.promptTo")}</dt>
          <dd>{agent}</dd>
        </div>
      </dl>
      <section className="asked-way">
        <h3>{t("asked.promptWay")}</h3>
        {way.length === 0 ? <p className="muted">{t("asked.promptNoWay")}</p> : null}
        <ol>
          {way.map((step, place) => (
            <li key={`${String(place)} ${step.cardId}`}>
              <b>{step.name ?? t("asked.promptOwner")}</b>
              {step.output === null ? null : <small className="muted">{step.output}</small>}
            </li>
          ))}
        </ol>
      </section>
      <section className="asked-prompt">
        <h3>{t("asked.promptText")}</h3>
        <pre tabIndex={0} aria-label={t("asked.promptText")}>
          {textOf(data["text"]) ?? ""}
        </pre>
      </section>
    </Question>
  );
}
