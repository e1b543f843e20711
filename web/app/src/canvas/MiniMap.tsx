import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useEffect, useRef, type PointerEvent } from "react";
import { waitsForPerson } from "../cards/agent/state";
import { useSession, useT } from "../shell/context";
import { boundsOf, type Rect } from "./geometry";

const WIDTH = 168;
const HEIGHT = 104;
const PADDING = 8;

interface Scale {
  factor: number;
  left: number;
  top: number;
}

/** How a stretch of the canvas is laid into the map. */
function mapScale(world: Rect): Scale {
  const factor = Math.min((WIDTH - 2 * PADDING) / world.w, (HEIGHT - 2 * PADDING) / world.h);
  return {
    factor,
    left: (WIDTH - world.w * factor) / 2 - world.x * factor,
    top: (HEIGHT - world.h * factor) / 2 - world.y * factor,
  };
}

/** The whole workspace in small, drawn on one bitmap so that many cards cost nothing. Press or drag to go there. */
export function MiniMap() {
  const session = useSession();
  const t = useT();
  const store = useStoreApi();
  const flow = useReactFlow();
  const bitmap = useRef<HTMLCanvasElement>(null);
  const scale = useRef<Scale>({ factor: 1, left: 0, top: 0 });

  useEffect(() => {
    let frame = 0;
    const draw = () => {
      frame = 0;
      const canvas = bitmap.current;
      const context = canvas?.getContext("2d");
      if (!canvas || !context) return;
      const ratio = window.devicePixelRatio;
      canvas.width = WIDTH * ratio;
      canvas.height = HEIGHT * ratio;
      context.scale(ratio, ratio);
      const [x, y, zoom] = store.getState().transform;
      const { width, height, nodes } = store.getState();
      const view = { x: -x / zoom, y: -y / zoom, w: width / zoom, h: height / zoom };
      const rects = nodes.map((node) => ({ ...node.position, w: node.width ?? 0, h: node.height ?? 0 }));
      const world = boundsOf([...rects, view]);
      if (world === null || world.w === 0) return;
      scale.current = mapScale(world);
      const { factor, left, top } = scale.current;
      const style = getComputedStyle(canvas);
      const [accent, warning, plain] = ["--accent", "--warning", "--border-secondary"].map((token) =>
        style.getPropertyValue(token),
      ) as [string, string, string];
      const cards = session.canvas.get()?.cards;
      nodes.forEach((node, index) => {
        const rect = rects[index];
        if (rect === undefined) return;
        const card = cards?.get(node.id);
        const asking = card !== undefined && waitsForPerson(card);
        context.fillStyle = node.selected === true ? accent : asking ? warning : plain;
        const w = Math.max(2, rect.w * factor);
        const h = Math.max(2, rect.h * factor);
        context.fillRect(rect.x * factor + left, rect.y * factor + top, w, h);
      });
      context.strokeStyle = accent;
      context.lineWidth = 1;
      context.strokeRect(view.x * factor + left, view.y * factor + top, view.w * factor, view.h * factor);
    };
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(draw);
    };
    const stops = [store.subscribe(soon), session.canvas.subscribe(soon), session.app.subscribe(soon)];
    const watcher = new MutationObserver(soon);
    watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-scheme"] });
    soon();
    return () => {
      stops.forEach((stop) => stop());
      watcher.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [session, store]);

  const go = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const { factor, left, top } = scale.current;
    const shown = WIDTH / box.width;
    const x = ((event.clientX - box.left) * shown - left) / factor;
    const y = ((event.clientY - box.top) * shown - top) / factor;
    void flow.setCenter(x, y, { zoom: flow.getZoom(), duration: 0 });
  };

  return (
    <canvas
      ref={bitmap}
      className="minimap"
      style={{ width: WIDTH, height: HEIGHT }}
      role="img"
      aria-label={t("view.map")}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) go(event);
      }}
    />
  );
}
