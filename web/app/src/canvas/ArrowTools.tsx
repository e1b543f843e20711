import { EdgeLabelRenderer, useStore as useFlow, useViewport } from "@xyflow/react";
import { useLayoutEffect, useRef, useState } from "react";
import { confirmArrow, disconnect, reversed, setDirection, setPaused } from "../actions/arrows";
import { useSession, useT } from "../shell/context";
import { CheckIcon, CloseIcon, PauseIcon, PlayIcon, ReverseIcon, TrashIcon, TwoWayIcon } from "../shell/icons";
import { useStore } from "../state/store";
import type { Arrow } from "../wire/records";
import { clearOf, type Point, type Rect } from "./geometry";

const ABOVE_PX = 9;
/** The bar keeps its size on the screen down to where cards become mere blocks. */
const MOST_SCALE = 5;

interface ArrowToolsProps {
  arrow: Arrow;
  at: Point;
  label: string;
}

/** The small bar on a selected arrow, and the question on one that waits for the owner's yes. */
export function ArrowTools({ arrow, at, label }: ArrowToolsProps) {
  const session = useSession();
  const t = useT();
  const { id, direction } = arrow;
  const { bar, place, scale } = usePlace(at);
  return (
    <EdgeLabelRenderer>
      <div
        ref={bar}
        className="arrow-tools nodrag nopan"
        role="toolbar"
        aria-label={t("arrow.tools")}
        style={{ transform: `translate(${place.x}px, ${place.y}px) scale(${scale})` }}
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

/** Where the bar goes: above the middle of its arrow, or beside that where it would cover a card. */
function usePlace(at: Point): { bar: React.RefObject<HTMLDivElement | null>; place: Point; scale: number } {
  const session = useSession();
  const cards = useStore(session.canvas, (state) => state?.cards);
  const { x, y, zoom } = useViewport();
  const width = useFlow((state) => state.width);
  const height = useFlow((state) => state.height);
  const bar = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ w: 0, h: 0 });
  // Before it is painted, or the bar would be seen to jump to its place.
  useLayoutEffect(() => {
    const box = bar.current;
    if (box === null) return;
    const measure = () => setSize({ w: box.offsetWidth, h: box.offsetHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  const scale = Math.min(MOST_SCALE, Math.max(1, 1 / zoom));
  const w = size.w * scale;
  const h = size.h * scale;
  const wished: Rect = { x: at.x - w / 2, y: at.y - ABOVE_PX - h, w, h };
  const view: Rect = { x: -x / zoom, y: -y / zoom, w: width / zoom, h: height / zoom };
  return { bar, place: clearOf(wished, [...(cards?.values() ?? [])], view), scale };
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
