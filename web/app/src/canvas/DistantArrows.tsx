import { ViewportPortal } from "@xyflow/react";
import { useMemo, useState } from "react";
import { useSession } from "../shell/context";
import { useStore } from "../state/store";
import { DistantCurves } from "./distantCurves";
import type { CardNode } from "./nodes";

/**
 * All arrows of a canvas seen from so far that none of them can be picked: one path a colour, however many there are.
 * The places come from the nodes, so that the arrows of a dragged card follow it.
 */
export function DistantArrows({ nodes }: { nodes: readonly CardNode[] }) {
  const session = useSession();
  const arrows = useStore(session.canvas, (known) => known?.arrows);
  const cards = useStore(session.canvas, (known) => known?.cards);
  const [curves] = useState(() => new DistantCurves());
  const paths = useMemo(() => (arrows && cards ? curves.byFamily(arrows, cards, nodes) : []), [curves, arrows, cards, nodes]);
  return (
    <ViewportPortal>
      <svg className="distant-arrows" aria-hidden="true">
        {paths.map(([family, path]) => (
          <path key={family} className={`arrow-line type-${family}`} d={path} />
        ))}
      </svg>
    </ViewportPortal>
  );
}
