import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import type { StickyCard, StickyColor } from "../../wire/records";
import type { CardBodyProps, TextKey } from "../contract";
import { sayFailure } from "../parts/failure";
import styles from "./sticky.module.css";

/** Longest title of a card, in UTF-16 units. */
const titleChars = 120;

const colors: readonly StickyColor[] = ["yellow", "blue", "green", "rose", "violet", "grey"];
const colorText: Record<StickyColor, TextKey> = {
  yellow: "sticky.yellow",
  blue: "sticky.blue",
  green: "sticky.green",
  rose: "sticky.rose",
  violet: "sticky.violet",
  grey: "sticky.grey",
};

type Look = { title?: string | null; color?: StickyColor };

/** A coloured note of a few words; they are the card's title. */
export function StickyBody({ card, api, selected }: CardBodyProps<StickyCard>) {
  const { t } = api;
  const [wanted, setWanted] = useState<Look>({});
  const [draft, setDraft] = useState<string | null>(null);
  const words = useRef<HTMLButtonElement>(null);
  const title = (wanted.title === undefined ? card.title : wanted.title) ?? "";
  const color = wanted.color ?? card.content.color;

  const change = (look: Look, what: TextKey) => api.holdUndo(changeNow(look, what));

  async function changeNow(look: Look, what: TextKey) {
    const old: Look = {
      ...(look.title === undefined ? {} : { title: card.title }),
      ...(look.color === undefined ? {} : { color: card.content.color }),
    };
    const send = async (each: Look) => void (await api.call("sticky.edit", { cardId: card.id, ...each }));
    setWanted((known) => ({ ...known, ...look }));
    try {
      await send(look);
      api.pushUndo({ label: (t) => t(what), undo: () => send(old), redo: () => send(look) });
    } catch (error) {
      sayFailure(api, what, card.name, error);
    } finally {
      setWanted((known) => (known.title === look.title && known.color === look.color ? {} : known));
    }
  }

  function leave(text: string | null, byKey: boolean) {
    setDraft(null);
    const next = text?.trim() ?? title;
    if (next !== title) void change({ title: next === "" ? null : next }, "sticky.undo.text");
    if (byKey) requestAnimationFrame(() => words.current?.focus());
  }

  return (
    <div className={styles.sticky} data-color={color}>
      {draft === null ? (
        <button
          ref={words}
          type="button"
          className={styles.words}
          data-enter="click"
          data-size={sizeOf(title)}
          aria-label={title === "" ? t("sticky.write") : t("sticky.edit", { text: title })}
          onClick={(event) => {
            // A click of the mouse selects the card; only the keyboard's click, which has no count, edits.
            if (event.detail === 0) setDraft(title);
          }}
          onDoubleClick={() => setDraft(title)}
        >
          {title === "" ? <span className={styles.hint}>{t("sticky.write")}</span> : title}
        </button>
      ) : (
        <StickyField draft={draft} label={t("sticky.text")} onDraft={setDraft} onLeave={leave} />
      )}
      <div className={`${styles.swatches ?? ""} nodrag`} role="group" aria-label={t("sticky.color")} data-shown={selected || undefined}>
        {colors.map((each) => (
          <button
            key={each}
            type="button"
            data-color={each}
            aria-label={t(colorText[each])}
            title={t(colorText[each])}
            aria-pressed={each === color}
            onClick={() => {
              if (each !== color) void change({ color: each }, "sticky.undo.color");
            }}
          />
        ))}
      </div>
    </div>
  );
}

interface StickyFieldProps {
  draft: string;
  label: string;
  onDraft(text: string): void;
  onLeave(text: string | null, byKey: boolean): void;
}

function StickyField({ draft, label, onDraft, onLeave }: StickyFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const over = useRef(false);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);

  function leave(text: string | null, byKey: boolean) {
    if (over.current) return;
    over.current = true;
    onLeave(text, byKey);
  }

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") leave(null, true);
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    leave(draft, true);
  }

  return (
    <textarea
      ref={field}
      className={`${styles.words ?? ""} ${styles.field ?? ""} nodrag nopan nowheel`}
      data-size={sizeOf(draft)}
      aria-label={label}
      maxLength={titleChars}
      value={draft}
      onChange={(event) => onDraft(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => leave(draft, false)}
    />
  );
}

/** Few words are set large, many small, so that all of a title fits. */
function sizeOf(text: string): "large" | "middle" | "small" {
  if (text.length <= 24) return "large";
  return text.length <= 64 ? "middle" : "small";
}
