import { lazy, Suspense } from "react";
import type { ChatCard } from "../../wire/records";
import type { CardBodyProps } from "../contract";
import styles from "../../chat/page.module.css";

const ChatCardView = lazy(() => import("../../chat/ChatCardView"));

/** A session on the canvas. What arrives at its port is said by the server, whether or not this is shown. */
export function ChatBody(props: CardBodyProps<ChatCard>) {
  return (
    <Suspense
      fallback={
        <div className={styles["centre"]} role="status">
          <i className="spinner is-large" />
        </div>
      }
    >
      <ChatCardView {...props} />
    </Suspense>
  );
}
