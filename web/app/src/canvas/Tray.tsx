import { cardBodies } from "../cards/registry";
import { useSession, useT } from "../shell/context";
import { PlusIcon } from "../shell/icons";
import { MenuButton } from "../shell/Menu";
import { useStore } from "../state/store";
import { addAndSelect, ADDABLE_KINDS, addEntries, DRAG_TYPE, writeAddable } from "./adding";
import { useCenter } from "./viewport";

/** The row of card kinds at the lower edge: press to add in the middle, drag to add where you let go. */
export function Tray() {
  const session = useSession();
  const t = useT();
  const center = useCenter();
  const online = useStore(session.connection, (state) => state.phase === "online");
  return (
    <div className="tray" role="toolbar" aria-label={t("add.tray")}>
      <MenuButton
        className="btn is-primary tray-add"
        label={t("add.title")}
        disabled={!online}
        entries={() => addEntries(session, center)}
      >
        <PlusIcon size={14} />
        {t("add.short")}
      </MenuButton>
      <i className="bar-line" />
      {ADDABLE_KINDS.map((kind) => {
        const { icon: Icon, label } = cardBodies[kind];
        return (
          <button
            key={kind}
            type="button"
            className="icon-btn tray-kind"
            aria-label={t("add.one", { kind: t(label) })}
            title={`${t(label)} – ${t("add.dragHint")}`}
            draggable={online}
            disabled={!online}
            onDragStart={(event) => {
              event.dataTransfer.setData(DRAG_TYPE, writeAddable({ kind }));
              event.dataTransfer.effectAllowed = "copy";
            }}
            onClick={() => void addAndSelect(session, { kind }, center())}
          >
            <Icon size={18} />
          </button>
        );
      })}
    </div>
  );
}
