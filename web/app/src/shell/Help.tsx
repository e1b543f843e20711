import { cardBodies } from "../cards/registry";
import type { TextKey } from "../i18n/catalogue";
import { useStore } from "../state/store";
import { useSession, useT } from "./context";
import { Modal } from "./Modal";

interface KeyGroup {
  readonly title: TextKey;
  readonly keys: readonly (readonly [string, TextKey])[];
}

const GROUPS: readonly KeyGroup[] = [
  {
    title: "help.canvas",
    keys: [
      ["Ctrl K", "palette.open"],
      ["Ctrl Z", "undo.undo"],
      ["Ctrl Shift Z", "undo.redo"],
      ["Ctrl A", "help.selectAll"],
      ["Shift", "help.box"],
      ["1", "view.fit"],
      ["0", "view.actual"],
      ["+ −", "help.zoom"],
      ["F", "files.toggle"],
      ["G", "agents.about"],
      ["I", "panel.toggle"],
      ["F6", "help.regions"],
      ["?", "help.open"],
    ],
  },
  {
    title: "help.arrows",
    keys: [
      ["A", "help.arrowOf"],
      ["Enter", "help.arrowOpen"],
      ["R", "arrow.reverse"],
      ["B", "arrow.twoWay"],
      ["P", "arrow.pause"],
      ["Del", "arrow.delete"],
    ],
  },
  {
    title: "help.cards",
    keys: [
      ["Tab", "help.next"],
      ["Ctrl ← ↑ → ↓", "help.towards"],
      ["← ↑ → ↓", "help.move"],
      ["Shift ← ↑ → ↓", "help.moveFine"],
      ["Alt ← ↑ → ↓", "help.resize"],
      ["Enter", "help.enter"],
      ["Esc", "help.leave"],
      ["F2", "card.rename"],
      ["C", "card.connect"],
      ["Ctrl D", "card.duplicate"],
      ["Ctrl C · Ctrl V", "help.copy"],
      ["] [", "help.stack"],
      ["Z", "help.zoomTo"],
      ["Shift F10", "help.menu"],
      ["Del", "card.remove"],
    ],
  },
];

/** What works inside a card of each kind, as its body declares it. */
function insideCards(): KeyGroup[] {
  return Object.values(cardBodies)
    .filter((body) => body.hints !== undefined)
    .map(({ label, hints = [] }) => ({
      title: label,
      keys: hints.map(({ keys, label: what }) => [keys.replaceAll("+", " "), what] as const),
    }));
}

/** All keys, and what the page is made of. */
export function Help() {
  const session = useSession();
  const t = useT();
  const version = useStore(session.app, (app) => app.version);
  return (
    <Modal wide title={t("help.title")} onClose={() => session.ui.update((ui) => ({ ...ui, overlay: null }))}>
      <div className="help">
        {[...GROUPS, ...insideCards()].map((group) => (
          <section key={group.title}>
            <h3>{t(group.title)}</h3>
            <dl>
              {group.keys.map(([keys, what]) => (
                <div key={keys}>
                  <dt>
                    <kbd>{keys}</kbd>
                  </dt>
                  <dd>{t(what)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <footer className="modal-foot muted">
        {t("app.name")} {version} · {t("help.madeWith")}
        <span className="spring" />
        <button type="button" className="btn" onClick={() => session.ui.update((ui) => ({ ...ui, overlay: null }))}>
          {t("app.close")}
        </button>
      </footer>
    </Modal>
  );
}
