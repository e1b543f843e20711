import { createStore } from "../state/store";

const KEPT = "cardloom.notify";

/** Whether this browser shows notices on the desktop: chosen here, and allowed by the browser. */
export const notifying = createStore<boolean>(allowed() === "granted" && localStorage.getItem(KEPT) === "on");

const shown = new Map<string, Notification>();

/** What the browser allows; "unsupported" where it knows no notices, as on pages without a secure origin. */
export function allowed(): NotificationPermission | "unsupported" {
  return typeof Notification === "undefined" ? "unsupported" : Notification.permission;
}

/** Turns notices on, asking the browser where that is needed, or off. Gives whether they are on now. */
export async function setNotifying(wanted: boolean): Promise<boolean> {
  const on = wanted && allowed() !== "unsupported" && (await Notification.requestPermission()) === "granted";
  localStorage.setItem(KEPT, on ? "on" : "off");
  notifying.set(on);
  if (!on) for (const key of [...shown.keys()]) withdraw(key);
  return on;
}

interface DesktopNotice {
  title: string;
  body: string;
  /** Put in the place of what stands there, without a sound. */
  quiet: boolean;
  onClick(): void;
}

/** Shows a notice under a key; a newer one replaces the one before. A quiet one only replaces. */
export function notify(key: string, { title, body, quiet, onClick }: DesktopNotice): void {
  if (!notifying.get() || (quiet && !shown.has(key))) return;
  const notice = new Notification(title, { body, tag: `cardloom-${key}`, icon: "/mark.svg", silent: quiet });
  shown.set(key, notice);
  notice.onclick = () => {
    window.focus();
    notice.close();
    onClick();
  };
  notice.onclose = () => {
    if (shown.get(key) === notice) shown.delete(key);
  };
}

export function withdraw(key: string): void {
  shown.get(key)?.close();
  shown.delete(key);
}
