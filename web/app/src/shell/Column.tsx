import { useLayoutEffect, useRef, type ComponentProps, type RefObject } from "react";

interface ColumnProps extends Omit<ComponentProps<"aside">, "ref"> {
  /** Which button of the bar shows and hides it: the one with this word in `data-toggles`. */
  name: "files" | "agents" | "panel";
  box?: RefObject<HTMLElement | null>;
}

/** A column at a side of the page. When it goes with the focus in it, the focus goes to the button that brings it back. */
export function Column({ name, box, ...rest }: ColumnProps) {
  const own = useRef<HTMLElement>(null);
  const shown = box ?? own;
  useLayoutEffect(() => {
    const element = shown.current;
    return () => {
      if (element?.contains(document.activeElement) !== true) return;
      document.querySelector<HTMLElement>(`[data-toggles="${name}"]`)?.focus({ preventScroll: true });
    };
  }, [shown, name]);
  return <aside ref={shown} {...rest} />;
}
