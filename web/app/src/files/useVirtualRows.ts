import { useCallback, useEffect, useRef, useState, type RefObject } from "react";

interface VirtualRows<Box extends HTMLElement> {
  box: RefObject<Box | null>;
  /** The first row to draw, and the one behind the last. */
  from: number;
  to: number;
  /** How many rows fit into the box. */
  page: number;
  onScroll(): void;
  /** Brings a row into view, in the middle when it was far away. */
  show(index: number): void;
}

const SPARE_ROWS = 12;
/** Until the box was measured. */
const FIRST_HEIGHT_PX = 600;

/** Which rows of equal height are on the screen, so that a list of any length costs no more than what is seen. */
export function useVirtualRows<Box extends HTMLElement>(count: number, rowPx: number): VirtualRows<Box> {
  const box = useRef<Box>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(FIRST_HEIGHT_PX);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setHeight(element.clientHeight || FIRST_HEIGHT_PX);
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  const onScroll = useCallback(() => setTop(box.current?.scrollTop ?? 0), []);
  const show = useCallback(
    (index: number) => {
      const element = box.current;
      if (element === null) return;
      const inView = element.clientHeight || FIRST_HEIGHT_PX;
      const above = index * rowPx;
      const isSeen = above >= element.scrollTop && above + rowPx <= element.scrollTop + inView;
      if (isSeen) return;
      const isNear = above + rowPx > element.scrollTop - inView && above < element.scrollTop + 2 * inView;
      const edge = above < element.scrollTop ? above : above + rowPx - inView;
      element.scrollTop = Math.max(0, isNear ? edge : above - inView / 2 + rowPx);
      setTop(element.scrollTop);
    },
    [rowPx],
  );

  const from = Math.max(0, Math.min(Math.floor(top / rowPx), count) - SPARE_ROWS);
  const to = Math.min(count, Math.ceil((top + height) / rowPx) + SPARE_ROWS);
  return { box, from, to, page: Math.max(1, Math.floor(height / rowPx) - 1), onScroll, show };
}
