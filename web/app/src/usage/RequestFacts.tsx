import { clockTime } from "../panels/format";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { TimelineRequest } from "../wire/records";
import { duration, tokensText } from "./amounts";
import styles from "./timeline.module.css";

/** One request in words. */
export function RequestFacts({ request }: { request: TimelineRequest }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const { startedAt, endedAt, tools, subagent, model } = request;
  const tokens = (value: number | null) => tokensText(value, 1, t, language);
  const facts: readonly [string, string][] = [
    [t("timeline.took"), startedAt === null ? t("usage.notReported") : duration(endedAt - startedAt, t)],
    [t("usage.byModel"), model ?? t("usage.notReported")],
    [t("usage.input"), tokens(request.inputTokens)],
    [t("usage.output"), tokens(request.outputTokens)],
    [t("usage.cacheRead"), tokens(request.cacheReadTokens)],
    [t("usage.cacheWrite"), tokens(request.cacheWriteTokens)],
    [t("timeline.tools"), tools === undefined ? t("timeline.noTools") : tools.join(", ")],
    ...(subagent === undefined ? [] : [[t("timeline.subagent"), subagent.name ?? subagent.id] as [string, string]]),
  ];
  return (
    <section className={styles["facts"]} aria-label={t("timeline.request", { at: clockTime(endedAt, language) })}>
      <h3>{t("timeline.request", { at: clockTime(endedAt, language) })}</h3>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
