import { useState } from "react";
import { ArrowPathIcon, PlayIcon } from "@heroicons/react/24/outline";
import { FrameBody } from "../../frame/FrameBody";
import { frameRuntime } from "../../frame/frames";
import type { CustomCard } from "../../wire/records";
import type { CardBodyProps } from "../contract";
import { figuresOf } from "../overview/figures";
import { sayFailure } from "../parts/failure";
import { PortList } from "../parts/PortList";
import { ProgressBar } from "../parts/ProgressBar";
import styles from "./custom.module.css";
import { programRuntime, runtimeNotice } from "./state";

/** A card of a package: its frame, or what its program says of itself. */
export function CustomBody(props: CardBodyProps<CustomCard>) {
  const runtime = frameRuntime(props.card);
  return runtime === null ? <ProgramBody {...props} /> : <FrameBody card={props.card} runtime={runtime} />;
}

/** A card whose program runs elsewhere, shown by what it says of itself: figures, progress, status and ports. */
function ProgramBody({ card, api }: CardBodyProps<CustomCard>) {
  const { t } = api;
  const { status, overview } = card.chrome;
  const [asking, setAsking] = useState(false);
  const notice = runtimeNotice(programRuntime(card), t);

  async function restart() {
    setAsking(true);
    try {
      await api.call("card.restart", { cardId: card.id });
    } catch (error) {
      sayFailure(api, "custom.restart", card.name, error);
    } finally {
      setAsking(false);
    }
  }

  return (
    <div className={styles.custom}>
      {notice !== null && (
        <div className={styles.notice} data-tone={notice.tone} role={notice.tone === "danger" ? "alert" : "status"}>
          {notice.busy && <i className={styles.spinner} aria-hidden="true" />}
          <p>{notice.text}</p>
          {notice.action !== null && (
            <button
              type="button"
              className="btn nodrag"
              data-enter="click"
              disabled={asking}
              onClick={() => void restart()}
            >
              {notice.action === "start" ? (
                <PlayIcon aria-hidden="true" width={13} />
              ) : (
                <ArrowPathIcon aria-hidden="true" width={13} />
              )}
              {t(notice.action === "start" ? "custom.start" : "custom.restart")}
            </button>
          )}
          {notice.detail !== null && <pre className={`${styles.detail ?? ""} nowheel nodrag`}>{notice.detail}</pre>}
        </div>
      )}
      <div className={`${styles.words ?? ""} nowheel`}>
        {overview !== null && <Overview overview={overview} name={card.name} />}
        {status !== null && (
          <p className={styles.status} data-tone={status.tone}>
            {status.busy ? <i className={styles.spinner} aria-hidden="true" /> : <i className={styles.dot} aria-hidden="true" />}
            {status.text}
          </p>
        )}
        {overview === null && status === null && notice === null && <p className={styles.quiet}>{t("custom.quiet")}</p>}
      </div>
      <PortList ports={card.ports} t={t} />
    </div>
  );
}

function Overview({ overview, name }: { overview: NonNullable<CustomCard["chrome"]["overview"]>; name: string }) {
  const { primary, secondary, progress, tone } = overview;
  const figures = figuresOf([primary, secondary]);
  return (
    <div className={styles.overview} data-tone={tone}>
      {figures === null ? (
        <>
          {primary !== null && <p className={styles.primary}>{primary}</p>}
          {secondary !== null && <p className={styles.secondary}>{secondary}</p>}
        </>
      ) : (
        <dl className={styles.figures}>
          {figures.map(({ value, label }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {progress !== null && <ProgressBar progress={progress} tone={tone === "default" ? "accent" : tone} label={name} />}
    </div>
  );
}
