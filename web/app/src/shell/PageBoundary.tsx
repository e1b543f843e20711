import type { ReactNode } from "react";
import { Boundary } from "./Boundary";
import { useT } from "./context";

/** Says that the whole page failed, and offers to load it anew. */
export function PageBoundary({ children }: { children: ReactNode }) {
  return <Boundary fallback={(error) => <BrokenPage error={error} />}>{children}</Boundary>;
}

function BrokenPage({ error }: { error: Error }) {
  const t = useT();
  return (
    <main className="place" role="alert">
      <h1>{t("app.broken")}</h1>
      <p className="muted">{error.message}</p>
      <button type="button" className="btn is-primary is-large" onClick={() => location.reload()}>
        {t("app.reload")}
      </button>
    </main>
  );
}
