import { useMemo, useState, type KeyboardEvent } from "react";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { Language, UsageSpan } from "../wire/records";
import { costText, money, rowName, shortCount, tokensText } from "./amounts";
import { Choice } from "./Choice";
import { dayBars, gridLines, type DayBar, type DayBars, type Measure } from "./days";
import type { Question } from "./desk";
import { useReport } from "./hooks";
import styles from "./chart.module.css";
import pageStyles from "./page.module.css";

type Split = NonNullable<Question["split"]>;

/** The days of a period as bars, each in parts by agent, model or sender. Arrow keys go from day to day. */
export function DayChart({ period, where }: { period: UsageSpan; where: { workspaceId?: string } }) {
  const t = useT();
  const [split, setSplit] = useState<Split>("agent");
  const [measure, setMeasure] = useState<Measure>("costMicroUsd");
  const question = useMemo((): Question => ({ by: "day", period, split, ...where }), [period, split, where]);
  const { report } = useReport(question);
  const bars = useMemo(() => dayBars(report?.rows ?? [], measure), [report, measure]);
  return (
    <section className={pageStyles["part"]} aria-label={t("usage.days")}>
      <div className={pageStyles["line"]}>
        <h3>{t("usage.days")}</h3>
        <Choice
          label={t("usage.stackedBy")}
          options={[
            { id: "agent", label: t("usage.byAgent") },
            { id: "model", label: t("usage.byModel") },
            { id: "sender", label: t("usage.bySender"), title: t("usage.senderHint") },
          ]}
          chosen={split}
          onChoose={setSplit}
        />
        <Choice
          label={t("usage.measure")}
          options={[
            { id: "costMicroUsd", label: t("usage.cost") },
            { id: "totalTokens", label: t("usage.tokens") },
          ]}
          chosen={measure}
          onChoose={setMeasure}
        />
      </div>
      {report === null ? <div className={styles["chart"]} aria-hidden="true" /> : <Bars bars={bars} measure={measure} />}
    </section>
  );
}

function Bars({ bars, measure }: { bars: DayBars; measure: Measure }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const [chosen, setChosen] = useState<string | null>(null);
  const last = bars.days.length - 1;
  const found = bars.days.findIndex((day) => day.key === chosen);
  const at = found === -1 ? null : found;
  const lines = gridLines(bars.most);
  const top = lines.at(-1) ?? 1;
  const amount = (value: number) => (measure === "costMicroUsd" ? money(value, language) : shortCount(value, language));
  const onKeyDown = (event: KeyboardEvent) => {
    const places: Readonly<Record<string, number>> = {
      ArrowLeft: (at ?? last + 1) - 1,
      ArrowRight: (at ?? last - 1) + 1,
      Home: 0,
      End: last,
    };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    setChosen(bars.days[Math.min(last, Math.max(0, place))]?.key ?? null);
  };
  const shown = at === null ? undefined : bars.days[at];
  return (
    <>
      <div
        className={styles["chart"]}
        role="group"
        aria-label={t("usage.days")}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerLeave={() => setChosen(null)}
      >
        {bars.days.some((day) => day.requests > 0) ? null : <p className={styles["none"]}>{t("usage.none")}</p>}
        <div className={styles["grid"]} aria-hidden="true">
          {lines.map((value) => (
            <i key={value} style={{ bottom: `${String((value / top) * 100)}%` }}>
              <small>{amount(value)}</small>
            </i>
          ))}
        </div>
        <div className={styles["bars"]} data-dense={bars.days.length > DENSE_DAYS} aria-hidden="true">
          {bars.days.map((day, index) => (
            <Bar
              key={day.key}
              day={day}
              top={top}
              chosen={index === at}
              label={dayLabel(day, bars.days.length, language)}
              onChoose={() => setChosen(day.key)}
            />
          ))}
        </div>
      </div>
      <Legend bars={bars} shown={shown} amount={amount} />
      <p className={styles["told"]} role="status">
        {shown === undefined ? " " : dayWords(shown, measure, t, language)}
      </p>
    </>
  );
}

interface BarProps {
  day: DayBar;
  top: number;
  chosen: boolean;
  label: string;
  onChoose(): void;
}

function Bar({ day, top, chosen, label, onChoose }: BarProps) {
  return (
    <div className={styles["day"]} data-day={day.key} data-chosen={chosen} onPointerEnter={onChoose}>
      <div className={styles["stack"]}>
        {day.requests > 0 && day.total === null ? <i className={styles["unreported"]} /> : null}
        {day.parts.map((part) => (
          <i key={part.series} data-series={part.series} style={{ height: `${String((part.value / top) * 100)}%` }} />
        ))}
      </div>
      <small>{label}</small>
    </div>
  );
}

function Legend({ bars, shown, amount }: { bars: DayBars; shown: DayBar | undefined; amount(value: number): string }) {
  const t = useT();
  if (bars.series.length === 0) return null;
  const days = shown === undefined ? bars.days : [shown];
  const valueOf = (series: number) => {
    const parts = days.flatMap((day) => day.parts).filter((part) => part.series === series);
    return amount(parts.reduce((sum, part) => sum + part.value, 0));
  };
  const named = bars.series.map(({ key, name }) => (key === name ? rowName({ key: null, name }, t) : name));
  return (
    <ul className={styles["legend"]}>
      {[...named, ...(bars.others ? [t("usage.others")] : [])].map((name, series) => (
        <li key={`${String(series)} ${name}`}>
          <i data-series={series} /> {name} <span className="muted">{valueOf(series)}</span>
        </li>
      ))}
    </ul>
  );
}

function dayWords(day: DayBar, measure: Measure, t: ReturnType<typeof useT>, language: Language): string {
  const date = dateOf(day).toLocaleDateString(language, { weekday: "long", day: "numeric", month: "long" });
  const { total, requests, unpriced } = day;
  const amount =
    measure === "costMicroUsd"
      ? costText({ costMicroUsd: total, requests, unpricedRequests: unpriced }, t, language)
      : tokensText(total, requests, t, language);
  const label = t(measure === "costMicroUsd" ? "usage.cost" : "usage.tokens");
  return `${date} · ${label}: ${amount} · ${t("usage.requests")}: ${String(requests)}`;
}

const DENSE_DAYS = 70;
const MOST_MONTHS_DAYS = 500;

/** Each day has its name while there is room; then Mondays have, then months, then years. */
function dayLabel(day: DayBar, days: number, language: Language): string {
  const date = dateOf(day);
  if (days <= 10) return date.toLocaleDateString(language, { weekday: "short", day: "numeric" });
  if (days > MOST_MONTHS_DAYS) return date.getDate() === 1 && date.getMonth() === 0 ? String(date.getFullYear()) : "";
  if (days > DENSE_DAYS) return date.getDate() === 1 ? date.toLocaleDateString(language, { month: "short" }) : "";
  return date.getDay() === 1 ? date.toLocaleDateString(language, { day: "numeric", month: "short" }) : "";
}

/** The server's day, whichever zone this page is in. */
function dateOf({ key }: DayBar): Date {
  const [year = 0, month = 1, day = 1] = key.split("-").map(Number);
  return new Date(year, month - 1, day);
}
