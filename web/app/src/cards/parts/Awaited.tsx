import { Suspense, useLayoutEffect, useRef, type ReactNode, type RefObject } from "react";

interface AwaitedProps {
  /** What stands there until the part is loaded. */
  text: string;
  className: string | undefined;
  /** The part; what takes its keys bears `data-enter`. */
  children: ReactNode;
}

/**
 * A part of a card that is loaded when first needed. Whoever clicks into it before it is there has its focus all the
 * same: their keys do not work on the canvas, and the part has the focus once it is loaded.
 */
export function Awaited({ text, className, children }: AwaitedProps) {
  const heldRef = useRef(false);
  return (
    <Suspense fallback={<Waiting text={text} className={className} heldRef={heldRef} />}>
      {children}
      <Handover heldRef={heldRef} />
    </Suspense>
  );
}

type Held = RefObject<boolean>;

function Waiting({ text, className, heldRef }: Omit<AwaitedProps, "children"> & { heldRef: Held }) {
  const line = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    const shown = line.current;
    return () => {
      heldRef.current = shown !== null && shown === document.activeElement;
    };
  }, [heldRef]);
  return (
    <p
      ref={line}
      className={`${className ?? ""} nodrag nopan`}
      tabIndex={-1}
      data-enter="focus"
      onKeyDown={(event) => event.stopPropagation()}
    >
      {text}
    </p>
  );
}

function Handover({ heldRef }: { heldRef: Held }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (!heldRef.current) return;
    place.current?.parentElement?.querySelector<HTMLElement>("[data-enter]")?.focus();
  }, [heldRef]);
  return <span ref={place} hidden />;
}
