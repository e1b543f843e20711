import { useEffect, useRef, type RefObject } from "react";

const MOST_PX = 240;

/** Keeps a field as high as its text, up to a limit. One that is out of sight has no height to measure until it is seen. */
export function useTextHeight(text: string): RefObject<HTMLTextAreaElement | null> {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current;
    if (element === null) return undefined;
    let width = 0;
    const fit = () => {
      // Its own change of height is no reason to measure again.
      if (element.offsetWidth === width) return;
      width = element.offsetWidth;
      if (width === 0) return;
      element.style.height = "auto";
      element.style.height = `${Math.min(element.scrollHeight, MOST_PX)}px`;
    };
    fit();
    const watcher = new ResizeObserver(fit);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [text]);
  return field;
}
