import { useEffect, useRef, useState } from "react";
import { ChevronDownIcon, ChevronUpIcon, XMarkIcon } from "@heroicons/react/24/outline";
import type { Translate } from "../contract";
import { IconButton } from "../parts/IconButton";
import styles from "./terminal.module.css";

interface SearchBarProps {
  /** The match shown, from 0, and how many there are. */
  matches: { at: number; count: number };
  t: Translate;
  onFind(text: string, way: "typing" | "next" | "previous"): void;
  onClose(): void;
}

/** Looks for text in what the terminal printed. Enter finds the next, with Shift the one before, Escape closes. */
export function SearchBar({ matches, t, onFind, onClose }: SearchBarProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const count = matches.count === 0 ? t("terminal.noMatch") : `${String(matches.at + 1)} / ${String(matches.count)}`;
  return (
    <div
      className={`${styles.search ?? ""} nodrag nopan`}
      role="search"
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape") onClose();
      }}
    >
      <input
        ref={field}
        type="search"
        aria-label={t("terminal.search")}
        placeholder={t("terminal.search")}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onFind(event.target.value, "typing");
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") onFind(text, event.shiftKey ? "previous" : "next");
        }}
      />
      <span role="status">{text === "" ? "" : count}</span>
      <IconButton icon={ChevronUpIcon} label={t("terminal.previous")} onClick={() => onFind(text, "previous")} />
      <IconButton icon={ChevronDownIcon} label={t("terminal.next")} onClick={() => onFind(text, "next")} />
      <IconButton icon={XMarkIcon} label={t("terminal.closeSearch")} onClick={onClose} />
    </div>
  );
}
