import { useRef, useState } from "react";
import { isFailure } from "../connection/failure";
import type { Translate } from "../i18n/catalogue";
import { reasonOf } from "../i18n/reasonOf";
import { useSession } from "../shell/context";

/** What went wrong, and where: faults of a package each with their place in it. */
export interface Problem {
  message: string;
  faults: readonly { path: string; message: string }[];
}

/** Calls of the server one at a time: whether one is under way, and what was wrong with the last. */
export function useWork() {
  const session = useSession();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  // Buttons stay enabled while one is under way: a pressed one that goes dead would take the focus with it.
  const running = useRef(false);
  const run = async <T,>(work: () => Promise<T>): Promise<T | null> => {
    if (running.current) return null;
    running.current = true;
    setBusy(true);
    setProblem(null);
    try {
      return await work();
    } catch (error) {
      if (isFailure(error, "UNAVAILABLE") && !session.online) setProblem({ message: session.t("fail.away"), faults: [] });
      else setProblem(problemOf(session.t, error));
      return null;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { session, busy, problem, run };
}

export type Work = ReturnType<typeof useWork>;

function problemOf(t: Translate, error: unknown): Problem {
  const data = isFailure(error) ? error.data : null;
  const faults = (Array.isArray(data) ? data : []).flatMap((each: unknown) => {
    const { path, message: text } = (each ?? {}) as Record<string, unknown>;
    return typeof path === "string" && typeof text === "string" ? [{ path, message: text }] : [];
  });
  return { message: reasonOf(t, error), faults: faults.length > 1 ? faults : [] };
}
