import { useRef, useState, type KeyboardEvent } from "react";
import { ChevronDownIcon, ChevronRightIcon, PaperAirplaneIcon, PencilIcon, XMarkIcon } from "@heroicons/react/24/outline";
import type { AgentCard, QueuedPrompt } from "../../wire/records";
import { toldOf } from "../../i18n/reasonOf";
import type { CardApi, Translate } from "../contract";
import { IconButton } from "../parts/IconButton";
import { InlineEditor } from "../parts/InlineEditor";
import { leaveOnEscape } from "../parts/leaving";
import { useRowDrag } from "../parts/useRowDrag";
import styles from "./agent.module.css";
import { PROMPT_CHARS } from "./PromptBox";
import { useQueue, type Queue } from "./useQueue";

/** The prompts that wait for the agent, the next one first: edited in place, moved by pointer or keys, sent or taken away. */
export function QueuePanel({ card, api }: { card: AgentCard; api: CardApi }) {
  const { t } = api;
  const queue = useQueue(card, api);
  const [open, setOpen] = useState(true);
  const list = useRef<HTMLUListElement>(null);
  const drag = useRowDrag((id, place) => queue.move(id, place.index));
  const { prompts } = queue;
  if (prompts.length === 0) return null;
  const others = prompts.filter((prompt) => prompt.id !== drag.draggedId);
  const dropAt = drag.place === null ? null : (others[drag.place.index]?.id ?? "end");
  const Fold = open ? ChevronDownIcon : ChevronRightIcon;

  function step(prompt: QueuedPrompt, by: -1 | 1) {
    const index = prompts.indexOf(prompt) + by;
    if (index < 0 || index >= prompts.length) return;
    queue.move(prompt.id, index);
    requestAnimationFrame(() => focusRow(list.current, prompt.id));
  }

  return (
    <section className={`${styles.queue ?? ""} nodrag`} aria-label={t("queue.title")} onKeyDown={leaveOnEscape}>
      <button type="button" className={styles.queueHead} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Fold aria-hidden="true" width={12} />
        {t("queue.count", { count: prompts.length })}
      </button>
      {open && (
        <ul
          ref={list}
          className={`${styles.prompts ?? ""} nowheel`}
          data-zone="prompts"
          data-scrolls=""
          data-drop={dropAt === "end" || undefined}
          onPointerDown={drag.onPointerDown}
        >
          {prompts.map((prompt) => (
            <PromptRow
              key={prompt.id}
              prompt={prompt}
              queue={queue}
              dragged={drag.draggedId === prompt.id}
              dropBefore={dropAt === prompt.id}
              t={t}
              onStep={(by) => step(prompt, by)}
            />
          ))}
        </ul>
      )}
      {drag.ghost}
    </section>
  );
}

interface PromptRowProps {
  prompt: QueuedPrompt;
  queue: Queue;
  dragged: boolean;
  dropBefore: boolean;
  t: Translate;
  onStep(by: -1 | 1): void;
}

function PromptRow({ prompt, queue, dragged, dropBefore, t, onStep }: PromptRowProps) {
  const [editing, setEditing] = useState(false);
  const row = useRef<HTMLLIElement>(null);

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.target !== row.current) return;
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) onStep(event.key === "ArrowUp" ? -1 : 1);
    else if (event.key === "ArrowUp") sibling(row.current?.previousElementSibling);
    else if (event.key === "ArrowDown") sibling(row.current?.nextElementSibling);
    else if (event.key === "Enter" || event.key === "F2") setEditing(true);
    else if (event.key === "Delete" || event.key === "Backspace") {
      sibling(row.current?.nextElementSibling ?? row.current?.previousElementSibling);
      queue.cancel(prompt.id);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <li
      ref={row}
      className={styles.prompt}
      tabIndex={0}
      aria-label={prompt.text}
      data-row={prompt.id}
      data-row-text={prompt.text}
      data-dragged={dragged || undefined}
      data-drop={dropBefore || undefined}
      onKeyDown={onKeyDown}
    >
      {editing ? (
        <div className={styles.promptText}>
          <InlineEditor
            value={prompt.text}
            label={t("queue.edit")}
            maxChars={PROMPT_CHARS}
            onCommit={(text) => queue.edit(prompt.id, text)}
            onLeave={(byKey) => {
              setEditing(false);
              if (byKey) requestAnimationFrame(() => row.current?.focus());
            }}
          />
        </div>
      ) : (
        <div className={styles.promptText} onDoubleClick={() => setEditing(true)}>
          <span className={styles.promptWords}>{prompt.text}</span>
          <small className={isTrouble(prompt) ? styles.promptProblem : styles.muted} title={prompt.problem === null ? undefined : toldOf(t, prompt.problem)}>
            {[prompt.fromName ?? t("queue.you"), standing(prompt, t)].filter(Boolean).join(" · ")}
          </small>
        </div>
      )}
      <span className={styles.promptTools}>
        <IconButton icon={PencilIcon} label={t("queue.edit")} onClick={() => setEditing(true)} />
        <IconButton icon={PaperAirplaneIcon} label={t("queue.send")} onClick={() => queue.sendNow(prompt.id)} />
        <IconButton icon={XMarkIcon} label={t("queue.cancel")} onClick={() => queue.cancel(prompt.id)} />
      </span>
    </li>
  );
}

function isTrouble(prompt: QueuedPrompt): boolean {
  return prompt.state === "unsure" || prompt.problem !== null;
}

/** Why a prompt still waits, empty when it merely waits its turn. */
function standing(prompt: QueuedPrompt, t: Translate): string {
  if (prompt.state === "waiting") return prompt.problem === null ? "" : toldOf(t, prompt.problem);
  return t(prompt.state === "typing" ? "queue.typing" : "queue.unsure");
}

function sibling(element: Element | null | undefined): void {
  if (element instanceof HTMLElement) element.focus();
}

function focusRow(list: HTMLElement | null, id: string): void {
  const rows = list?.querySelectorAll<HTMLElement>("[data-row]") ?? [];
  [...rows].find((row) => row.dataset["row"] === id)?.focus();
}
