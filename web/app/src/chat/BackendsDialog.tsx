import type { BackendProgram, BackendSetUp, SetUp } from "@cardloom/protocol";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { quotedOf, reasonOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import { PencilIcon, PlusIcon, ResendIcon, SlidersIcon, TrashIcon } from "../shell/icons";
import { Modal } from "../shell/Modal";
import { Problem } from "../shell/Problem";
import { BackendForm, type BackendKind, type Draft } from "./BackendForm";
import { useDesk } from "./context";
import { lineOf } from "./model/commandLine";
import { RemovalQuestion } from "./RemovalQuestion";
import styles from "./forms.module.css";

type View = { is: "list" } | { is: "form"; draft: Draft } | { is: "removing"; backend: BackendSetUp };

const TONES: Readonly<Record<BackendSetUp["state"], string>> = {
  found: "default",
  unasked: "default",
  answers: "success",
  missing: "danger",
  faulty: "danger",
  silent: "danger",
  unused: "warning",
};
const KINDS: readonly BackendKind[] = ["pi", "opencode", "acp", "http", "mapped"];

interface BackendsDialogProps {
  onEngine(): void;
  onClose(): void;
}

/** Whoever can answer beside our own engine: how each is and why, and a form to set up one more. */
export default function BackendsDialog({ onEngine, onClose }: BackendsDialogProps) {
  const t = useT();
  const { wire } = useDesk();
  const [known, setKnown] = useState<SetUp | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [asking, setAsking] = useState<ReadonlySet<string>>(new Set());
  const pressedRef = useRef<string | null>(null);
  const [view, setView] = useState<View>({ is: "list" });
  const closed = useRef(false);

  const take = (answer: SetUp) => {
    if (closed.current) return;
    setKnown(answer);
    setProblem(null);
  };
  const check = async (backendId: string) => {
    setAsking((ids) => new Set([...ids, backendId]));
    try {
      take(await wire.ask<SetUp>("session.checkBackend", { backendId }));
    } catch (error) {
      setProblem(reasonOf(t, error));
    }
    setAsking((ids) => new Set([...ids].filter((id) => id !== backendId)));
  };
  useEffect(() => {
    closed.current = false;
    void wire
      .ask<SetUp>("session.setUp")
      .then(async (answer) => {
        take(answer);
        await Promise.all(answer.backends.filter((one) => one.state === "unasked").map((one) => check(one.id)));
      })
      .catch((error: unknown) => setProblem(reasonOf(t, error)));
    return () => {
      closed.current = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- read once, when the window opens
  }, [wire]);

  if (view.is === "form") {
    return (
      <BackendForm
        draft={view.draft}
        taken={known?.backends.map((one) => one.id) ?? []}
        onClose={() => setView({ is: "list" })}
        onSaved={(backendId, answer) => {
          take(answer);
          setView({ is: "list" });
          void check(backendId);
        }}
      />
    );
  }
  if (view.is === "removing") {
    const { backend } = view;
    const remove = async () => {
      setView({ is: "list" });
      try {
        take(await wire.ask<SetUp>("session.removeBackend", { backendId: backend.id }));
      } catch (error) {
        setProblem(reasonOf(t, error));
      }
    };
    return (
      <RemovalQuestion
        title={t("backends.removeTitle", { name: backend.title })}
        text={t("backends.removeText")}
        yes={t("backends.remove")}
        onYes={() => void remove()}
        onNo={() => setView({ is: "list" })}
      />
    );
  }
  return (
    <Modal key="list" title={t("backends.title")} wide pressedRef={pressedRef} onClose={onClose}>
      <p className="muted">{t("backends.text")}</p>
      <Problem text={problem} />
      <div className={styles["fields"]}>
        <ul className={styles["backends"]} aria-label={t("backends.list")}>
          <li>
            <span>
              <b>Cardloom</b>
              <small className="muted">{t("backends.engine")}</small>
            </span>
            <button type="button" className="btn" onClick={onEngine}>
              <SlidersIcon size={14} /> {t("chat.engine")}
            </button>
          </li>
          {known?.backends.map((backend) => (
            <Row key={backend.id} backend={backend} isAsked={asking.has(backend.id)}>
              <Tool label={t("backends.checkNamed", { name: backend.title })} title={t("backends.check")} disabled={asking.has(backend.id)} onClick={() => void check(backend.id)}>
                <ResendIcon size={14} />
              </Tool>
              {isKind(backend.kind) ? (
                <Tool label={t("backends.editNamed", { name: backend.title })} title={t("chat.edit")} onClick={() => setView({ is: "form", draft: draftOf(backend) })}>
                  <PencilIcon size={14} />
                </Tool>
              ) : null}
              <Tool label={t("backends.removeNamed", { name: backend.title })} title={t("backends.remove")} onClick={() => setView({ is: "removing", backend })}>
                <TrashIcon size={14} />
              </Tool>
            </Row>
          ))}
        </ul>
        <section aria-label={t("backends.add")}>
          <h3>{t("backends.add")}</h3>
          <ul className={styles["backends"]}>
            {known?.programs.map((program) => (
              <Offer key={program.title} program={program} onAdd={() => setView({ is: "form", draft: draftFrom(program) })} />
            ))}
            {(["acp", "http", "mapped"] as const).map((kind) => (
              <li key={kind}>
                <span>
                  <b>{t(`backends.kind.${kind}`)}</b>
                  <small className="muted">{t(`backends.about.${kind}`)}</small>
                </span>
                <button type="button" className="btn" aria-label={t("backends.addNamed", { name: t(`backends.kind.${kind}`) })} onClick={() => setView({ is: "form", draft: { kind, isNew: true } })}>
                  <PlusIcon size={13} /> {t("backends.addOne")}
                </button>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <footer className="modal-foot">
        <span className="spring" />
        <button type="button" className="btn" onClick={onClose}>
          {t("app.close")}
        </button>
      </footer>
    </Modal>
  );
}

function Row({ backend, isAsked, children }: { backend: BackendSetUp; isAsked: boolean; children: ReactNode }) {
  const t = useT();
  const where = backend.url ?? lineOf(backend.command ?? []);
  const kind = isKind(backend.kind) ? t(`backends.kind.${backend.kind}`) : backend.kind;
  return (
    <li>
      <span>
        <span>
          <b>{backend.title}</b>{" "}
          {isAsked ? (
            <span className="chip tone-default" role="status">
              <i className="spinner" /> {t("backends.asking")}
            </span>
          ) : (
            <span className={`chip tone-${TONES[backend.state]}`} role="status">
              {t(`backends.state.${backend.state}`)}
            </span>
          )}
        </span>
        <small className="muted" title={where}>
          {[kind === backend.title ? undefined : kind, where, backend.folder, backend.mapping, backend.hasKey ? t("chat.withKey") : undefined].filter((words) => words !== undefined && words !== "").join(" · ")}
        </small>
        {backend.why === null || isAsked ? null : <small className={styles["why"]}>{quotedOf(t, backend.why)}</small>}
      </span>
      {children}
    </li>
  );
}

function Offer({ program, onAdd }: { program: BackendProgram; onAdd(): void }) {
  const t = useT();
  return (
    <li>
      <span>
        <b>{program.title}</b>
        <small className="muted">{program.path === null ? t("backends.notHere", { program: program.command[0] ?? "" }) : program.path}</small>
      </span>
      <button type="button" className="btn" aria-label={t("backends.addNamed", { name: program.title })} onClick={onAdd}>
        <PlusIcon size={13} /> {t("backends.addOne")}
      </button>
    </li>
  );
}

function Tool({ label, title, disabled = false, onClick, children }: { label: string; title: string; disabled?: boolean; onClick(): void; children: ReactNode }) {
  return (
    <button type="button" className="icon-btn" aria-label={label} title={title} disabled={disabled} onClick={onClick}>
      {children}
    </button>
  );
}

function isKind(kind: string): kind is BackendKind {
  return (KINDS as readonly string[]).includes(kind);
}

function draftOf(backend: BackendSetUp): Draft {
  const { id, title, command, folder, url, mapping, hasKey } = backend;
  return {
    kind: backend.kind as BackendKind,
    isNew: false,
    id,
    title: title === id ? "" : title,
    command: lineOf(command ?? []),
    folder: folder ?? "",
    url: url ?? "",
    mapping: mapping ?? "",
    hasKey,
  };
}

function draftFrom(program: BackendProgram): Draft {
  return { kind: program.kind as BackendKind, isNew: true, title: program.title, command: lineOf(program.command) };
}
