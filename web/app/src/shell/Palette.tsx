import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useSession, useT } from "./context";
import { SearchIcon } from "./icons";
import { findGrouped } from "./matchScore";
import { useCommands, type Command } from "./useCommands";
import { useModal } from "./useModal";

const MAX_SHOWN = 60;

/** Type a few letters of anything: add a card, go to one, run a command. */
export function Palette() {
  const session = useSession();
  const t = useT();
  const commands = useCommands();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const listId = useId();
  const found = useMemo(() => findGrouped(commands, query).slice(0, MAX_SHOWN), [commands, query]);
  const close = () => session.ui.update((ui) => ({ ...ui, overlay: null }));

  const leaveFocus = useModal(dialog);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, found]);

  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    if (command.leads === true) leaveFocus();
    close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "ArrowDown") setAt(found.length === 0 ? 0 : (at + 1) % found.length);
    else if (event.key === "ArrowUp") setAt(found.length === 0 ? 0 : (at - 1 + found.length) % found.length);
    else if (event.key === "Enter") run(found[at]);
    else if (event.key === "Escape" || (event.key.toLowerCase() === "k" && event.ctrlKey)) close();
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={t("palette.open")}
      onKeyDown={onKeyDown}
      onCancel={close}
      onPointerDown={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div className="palette-box">
        <label className="palette-field">
          <SearchIcon />
          <input
            role="combobox"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={found[at] === undefined ? undefined : `${listId}-${at}`}
            aria-label={t("palette.search")}
            placeholder={t("palette.search")}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setAt(0);
            }}
          />
        </label>
        <ul ref={list} id={listId} role="listbox" tabIndex={-1} aria-label={t("palette.results")}>
          {found.length === 0 ? <li className="muted palette-none">{t("palette.none")}</li> : null}
          {found.map((command, index) => (
            <li key={command.id} role="presentation">
              {found[index - 1]?.group === command.group ? null : <div className="menu-heading">{command.group}</div>}
              <button
                type="button"
                id={`${listId}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at}
                className="menu-item"
                onPointerMove={() => setAt(index)}
                onClick={() => run(command)}
              >
                <span className="menu-icon">{command.icon}</span>
                <span className="menu-text">
                  {command.label}
                  {command.detail === undefined ? null : <small>{command.detail}</small>}
                </span>
                {command.hint === undefined ? null : <kbd>{command.hint}</kbd>}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </dialog>
  );
}
