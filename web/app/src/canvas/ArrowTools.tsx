import { EdgeLabelRenderer, useStore as useFlow } from "@xyflow/react";
import { confirmArrow, disconnect, reversed, setDirection, setPaused } from "../actions/arrows";
import { useSession, useT } from "../shell/context";
import { CheckIcon, CloseIcon, PauseIcon, PlayIcon, ReverseIcon, TrashIcon, TwoWayIcon } from "../shell/icons";
import type { Arrow } from "../wire/records";
import type { Point } from "./geometry";

interface ArrowToolsProps {
  arrow: Arrow;
  at: Point;
  label: string;
}

/** The small bar on a selected arrow, and the question on one that waits for the owner's yes. */
export function ArrowTools({ arrow, at, label }: ArrowToolsProps) {
  const session = useSession();
  const t = useT();
  const zoom = useFlow((state) => state.transform[2]);
  const { id, direction } = arrow;
  const scale = Math.min(1.6, Math.max(1, 1 / zoom));
  return (
    <EdgeLabelRenderer>
      <div
        className="arrow-tools nodrag nopan"
        role="toolbar"
        aria-label={t("arrow.tools")}
        style={{ transform: `translate(-50%, -100%) translate(${at.x}px, ${at.y - 9}px) scale(${scale})` }}
      >
        {arrow.pending ? (
          <>
            <span className="arrow-tools-note">{t(arrow.drawnBy.kind === "agent" ? "arrow.byAgent" : "arrow.byCard")}</span>
            <button type="button" className="btn is-primary" onClick={() => void confirmArrow(session, id)}>
              <CheckIcon size={13} /> {t("arrow.confirm")}
            </button>
            <button type="button" className="btn" onClick={() => void disconnect(session, [id])}>
              <CloseIcon size={13} /> {t("arrow.removePending")}
            </button>
          </>
        ) : (
          <>
            {label === "" ? null : <span className="arrow-tools-note">{label}</span>}
            <Tool
              label={t("arrow.reverse")}
              disabled={direction === "both"}
              run={() => void setDirection(session, id, reversed(direction))}
            >
              <ReverseIcon />
            </Tool>
            <Tool
              label={t(direction === "both" ? "arrow.oneWay" : "arrow.twoWay")}
              pressed={direction === "both"}
              run={() => void setDirection(session, id, direction === "both" ? "forward" : "both")}
            >
              <TwoWayIcon />
            </Tool>
            <Tool
              label={t(arrow.paused ? "arrow.resume" : "arrow.pause")}
              pressed={arrow.paused}
              run={() => void setPaused(session, id, !arrow.paused)}
            >
              {arrow.paused ? <PlayIcon /> : <PauseIcon />}
            </Tool>
            <Tool label={t("arrow.delete")} run={() => void disconnect(session, [id])}>
              <TrashIcon />
            </Tool>
          </>
        )}
      </div>
    </EdgeLabelRenderer>
  );
}

interface ToolProps {
  label: string;
  disabled?: boolean;
  pressed?: boolean;
  run(): void;
  children: React.ReactNode;
}

function Tool({ label, disabled = false, pressed, run, children }: ToolProps) {
  return (
    <button
      type="button"
      className="icon-btn"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={run}
    >
      {children}
    </button>
  );
}
