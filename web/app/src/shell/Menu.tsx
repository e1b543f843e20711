import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { createPortal } from "react-dom";

export interface MenuItem {
  id: string;
  label: string;
  icon?: ReactNode;
  hint?: string;
  description?: string;
  tone?: "danger";
  disabled?: boolean;
  /** Given for entries that can be on or off. */
  checked?: boolean;
  run(): void;
}

export type MenuEntry = MenuItem | { id: string; heading: string } | { id: string; separator: true };

interface MenuProps {
  label: string;
  /** The corner to open at, in pixels of the window. */
  at: { x: number; y: number; align?: "start" | "end" };
  entries: readonly MenuEntry[];
  /** The button that opened it and closes it itself. */
  anchor?: HTMLElement | null;
  onClose(): void;
}

function isItem(entry: MenuEntry): entry is MenuItem {
  return "run" in entry;
}

/** A menu on top of everything. Arrow keys move, letters jump, Escape and a click elsewhere close it. */
export function Menu({ label, at, entries, anchor = null, onClose }: MenuProps) {
  const list = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number; maxHeight: number } | null>(null);
  const [opener] = useState(() => document.activeElement);

  useLayoutEffect(() => {
    const box = list.current?.getBoundingClientRect();
    if (box === undefined) return;
    const left = at.align === "end" ? at.x - box.width : at.x;
    const below = at.y + box.height <= window.innerHeight - 8;
    // Where there is no room below, it opens above its button instead of over it.
    const above = (anchor?.getBoundingClientRect().top ?? at.y) - box.height - (anchor === null ? 0 : 6);
    const top = Math.max(8, Math.min(below ? at.y : above, window.innerHeight - box.height - 8));
    // On very large screens menus are drawn larger, and their own pixels with them.
    const scale = box.width / (list.current?.offsetWidth ?? 0) || 1;
    setPlace({
      left: Math.max(8, Math.min(left, window.innerWidth - box.width - 8)) / scale,
      top: top / scale,
      // What comes to an open menu later is scrolled to: nothing moves away under the pointer.
      maxHeight: (window.innerHeight - 8 - top) / scale,
    });
  }, [at.x, at.y, at.align, anchor]);

  const placed = place !== null;
  useEffect(() => {
    // Hidden until it has its place, and what is hidden takes no focus.
    if (placed) items(list.current)[0]?.focus({ preventScroll: true });
  }, [placed]);

  useEffect(() => {
    const outside = (event: PointerEvent) => {
      const target = event.target as Element;
      if (list.current?.contains(target) !== true && anchor?.contains(target) !== true) onClose();
    };
    window.addEventListener("pointerdown", outside, true);
    return () => window.removeEventListener("pointerdown", outside, true);
  }, [onClose, anchor]);

  const close = () => {
    onClose();
    if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const all = items(list.current);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const go = (index: number) => all[(index + all.length) % all.length]?.focus();
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(all.length - 1);
    else if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
      const letter = event.key.toLowerCase();
      const order = [...all.slice(at + 1), ...all.slice(0, at + 1)];
      order.find((item) => item.textContent.trim().toLowerCase().startsWith(letter))?.focus();
      return;
    } else return;
    event.preventDefault();
  };

  return createPortal(
    <div
      ref={list}
      className="menu"
      role="menu"
      aria-label={label}
      style={place ?? { left: at.x, top: at.y, visibility: "hidden" }}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
    >
      {entries.map((entry) => {
        if (!isItem(entry)) {
          return "heading" in entry ? (
            <div key={entry.id} className="menu-heading" role="presentation">
              {entry.heading}
            </div>
          ) : (
            <hr key={entry.id} className="menu-line" />
          );
        }
        return (
          <button
            key={entry.id}
            type="button"
            role={entry.checked === undefined ? "menuitem" : "menuitemradio"}
            aria-checked={entry.checked}
            aria-label={entry.label}
            className={entry.tone === "danger" ? "menu-item is-danger" : "menu-item"}
            disabled={entry.disabled === true}
            tabIndex={-1}
            onPointerEnter={(event) => event.currentTarget.focus({ preventScroll: true })}
            onClick={() => {
              close();
              entry.run();
            }}
          >
            <span className="menu-icon">{entry.checked === true ? "✓" : entry.icon}</span>
            <span className="menu-text">
              {entry.label}
              {entry.description === undefined ? null : <small>{entry.description}</small>}
            </span>
            {entry.hint === undefined ? null : <kbd>{entry.hint}</kbd>}
          </button>
        );
      })}
    </div>,
    // A window above the page lets nothing be seen or pressed that is not inside it.
    anchor?.closest("dialog") ?? document.body,
  );
}

function items(list: HTMLElement | null): HTMLElement[] {
  return list === null ? [] : [...list.querySelectorAll<HTMLElement>("button:not(:disabled)")];
}

interface MenuButtonProps {
  label: string;
  className?: string;
  title?: string;
  align?: "start" | "end";
  disabled?: boolean;
  entries: readonly MenuEntry[] | (() => readonly MenuEntry[]);
  children: ReactNode;
}

/** A button that opens a menu below itself. */
export function MenuButton({ label, className, title, align = "start", disabled, entries, children }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [at, setAt] = useState<{ x: number; y: number; anchor: HTMLElement } | null>(null);
  const [close] = useState(() => () => setAt(null));
  const open = () => {
    const anchor = button.current;
    if (anchor === null) return;
    const box = anchor.getBoundingClientRect();
    setAt({ x: align === "end" ? box.right : box.left, y: box.bottom + 6, anchor });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className ?? "pill"}
        aria-label={label}
        title={title ?? label}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        disabled={disabled === true}
        onClick={() => (at === null ? open() : setAt(null))}
      >
        {children}
      </button>
      {at === null ? null : (
        <Menu
          label={label}
          at={{ x: at.x, y: at.y, align }}
          anchor={at.anchor}
          entries={typeof entries === "function" ? entries() : entries}
          onClose={close}
        />
      )}
    </>
  );
}
