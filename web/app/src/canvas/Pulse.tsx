import { useEffect, useState } from "react";
import type { Beat } from "../state/activity";
import { useSession } from "../shell/context";

interface PulseProps {
  arrowId: string;
  /** Runs from a to b. */
  path: string;
}

/** A light that runs along an arrow when a value passes. Where motion is unwanted the arrow glows instead. */
export function Pulse({ arrowId, path }: PulseProps) {
  const session = useSession();
  const [beat, setBeat] = useState<Beat | null>(null);
  useEffect(
    () =>
      session.activity.subscribe(arrowId, (next) => {
        // One light at a time: a busy arrow shows a steady rhythm instead of restarting with every value.
        setBeat((running) => running ?? next);
      }),
    [session, arrowId],
  );
  if (beat === null) return null;
  const classes = ["arrow-pulse"];
  if (beat.direction === "backward") classes.push("is-backward");
  if (beat.outcome === "refused" || beat.outcome === "dropped" || beat.outcome === "loop") classes.push("is-trouble");
  return <path className={classes.join(" ")} d={path} pathLength={100} onAnimationEnd={() => setBeat(null)} />;
}
