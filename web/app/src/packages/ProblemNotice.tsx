import { toldOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import type { Problem } from "./useWork";
import styles from "./packages.module.css";

/** Says what was wrong; every fault of a package with its place. */
export function ProblemNotice({ problem }: { problem: Problem | null }) {
  const t = useT();
  if (problem === null) return null;
  return (
    <div className="notice tone-danger" role="alert">
      {problem.faults.length === 0 ? problem.message : t("packages.faulty", { count: problem.faults.length })}
      {problem.faults.length === 0 ? null : (
        <ul className={styles["faults"]}>
          {problem.faults.map(({ path, message }, index) => (
            <li key={index}>
              <code>{path}</code> {toldOf(t, message)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
