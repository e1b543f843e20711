import { useSession, useT } from "../shell/context";
import { CloseCorner } from "../shell/CloseCorner";
import { Modal } from "../shell/Modal";
import { useStore } from "../state/store";
import { TimelineView } from "./TimelineView";
import { UsagePage } from "./UsagePage";
import styles from "./page.module.css";

/** The page of usage over the canvas: sums and days, or the timeline of one agent. */
export function UsageDialog() {
  const session = useSession();
  const t = useT();
  const agentId = useStore(session.ui, (ui) => ui.timelineOf);
  const agent = useStore(session.canvas, (state) => (agentId === null ? undefined : state?.cards.get(agentId)));
  const close = () => session.ui.update((ui) => ({ ...ui, overlay: null, timelineOf: null }));
  const title = agentId === null ? t("usage.title") : t("timeline.title", { name: agent?.name ?? "" });
  return (
    <Modal title={title} wide onClose={close}>
      <div className={styles["window"]}>
        {agentId === null ? <UsagePage /> : <TimelineView key={agentId} agentId={agentId} />}
      </div>
      <CloseCorner onClose={close} />
    </Modal>
  );
}
