import { useEffect } from "react";
import { useT } from "./context";

/** Names the page for tabs, bookmarks and screen readers: what it shows, then the product. Null: nothing yet. */
export function usePageTitle(shown: string | null): void {
  const t = useT();
  useEffect(() => {
    document.title = shown === null ? t("app.name") : `${shown} · ${t("app.name")}`;
  }, [shown, t]);
}
