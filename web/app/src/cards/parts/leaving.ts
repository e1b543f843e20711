import type { KeyboardEvent } from "react";

/** Gives the focus back to the card that holds an element. */
export function backToCard(element: HTMLElement): void {
  element.closest<HTMLElement>(".react-flow__node")?.focus({ preventScroll: true });
}

/** Escape leaves the body, from its fields too: there the page lets every key be the field's. */
export function leaveOnEscape(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  backToCard(event.currentTarget);
}
