import { useEffect, useState } from "react";
import type { Beat } from "../state/activity";
import { useSession } from "../shell/context";

interface PulseProps {
  arrowId: string;
  path: string;
  /** Whether the path runs from a to b. */
  forward: boolean;
}

/** A light that runs along an arrow when a value passes. Where motion is unwanted the arrow glows instead. */
export function Pulse({ arrowId, path, forward }: PulseProps) {
  const session = useSession();
  const [beat, setBeat] = useState<(Beat & { count: number }) | null>(null);
  useEffect(
    () =>
      session.activity.subscribe(arrowId, (next) => {
        // One light at a time: a busy arrow shows a steady rhythm instead of restarting with every value.
        setBeat((running) => running ?? { ...next, count: 0 });
      }),
    [session, arrowId],
  );
  if (beat === null) return null;
  const classes = ["arrow-pulse"];
  if ((beat.direction === "forward") !== forward) classes.push("is-backward");
  if (beat.outcome === "refused" || beat.outcome === "dropped" || beat.outcome === "loop") classes.push("is-trouble");
  return <path className={classes.join(" ")} d={path} pathLength={100} onAnimationEnd={() => setBeat(null)} />;
}
