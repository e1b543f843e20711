import { useState } from "react";
import type { Translate } from "../i18n/catalogue";
import { useT } from "../shell/context";
import { CloseCorner } from "../shell/CloseCorner";
import { Modal } from "../shell/Modal";
import { useStore } from "../state/store";
import type { PackageInfo, PackageReview } from "../wire/records";
import { Catalogues } from "./Catalogues";
import { InstallField } from "./InstallField";
import { InstallReview } from "./InstallReview";
import { PackageRow } from "./PackageRow";
import { NOWHERE, placeParams, type Place } from "./place";
import { ProblemNotice } from "./ProblemNotice";
import { RemovePackage } from "./RemovePackage";
import { UpdateReview } from "./UpdateReview";
import { useWork, type Work } from "./useWork";
import styles from "./packages.module.css";

/** What the window shows: the list, a package that was looked at (with where it came from), or one that shall go. */
type View =
  | { show: "list" }
  | { show: "review"; review: PackageReview; from: ReturnType<typeof placeParams> | null }
  | { show: "remove"; info: PackageInfo };

type Tab = "installed" | "catalogues";

/** The window in which packages are looked at, installed, updated, returned to a former version and removed. */
export function PackagesDialog() {
  const t = useT();
  const work = useWork();
  const { session } = work;
  const [view, setView] = useState<View>({ show: "list" });
  const [place, setPlace] = useState<Place>(NOWHERE);
  const [tab, setTab] = useState<Tab>("installed");
  const close = () => session.ui.update((ui) => ({ ...ui, overlay: null }));
  const back = () => setView({ show: "list" });
  const acts = actsOf(work, setView);

  return (
    <Modal title={titleOf(view, t)} wide onClose={close}>
      <div className={styles["window"]}>
        {view.show === "list" ? (
          <>
            <InstallField place={place} busy={work.busy} onChange={setPlace} onLook={() => void acts.look(place)} />
            <ProblemNotice problem={work.problem} />
            <Tabs tab={tab} onChange={setTab} />
            {tab === "installed" ? (
              <Installed work={work} acts={acts} onRemove={(info) => setView({ show: "remove", info })} />
            ) : (
              <Catalogues busy={work.busy} onLook={(source) => void acts.look({ ...NOWHERE, source })} />
            )}
          </>
        ) : (
          <>
            {view.show === "remove" ? (
              <RemovePackage busy={work.busy} onBack={back} onRemove={(drop) => void acts.remove(view.info, drop)} />
            ) : view.review.installed === null ? (
              <InstallReview
                review={view.review}
                busy={work.busy}
                onBack={back}
                onInstall={() => void acts.install(view.review, view.from)}
              />
            ) : (
              <UpdateReview
                review={view.review}
                installed={view.review.installed}
                busy={work.busy}
                onBack={back}
                onUpdate={(accept) => void acts.update(view.review, view.from, accept)}
              />
            )}
            <ProblemNotice problem={work.problem} />
          </>
        )}
      </div>
      <CloseCorner onClose={close} />
    </Modal>
  );
}

function titleOf(view: View, t: Translate): string {
  if (view.show === "list") return t("packages.title");
  if (view.show === "remove") return t("uninstall.title", { name: view.info.displayName });
  const { review } = view;
  const title = review.installed !== null ? "review.updateTitle" : review.dev ? "review.linkTitle" : "review.installTitle";
  return t(title, { name: review.displayName });
}

type Acts = ReturnType<typeof actsOf>;

/** What can be done, each with its call, what is shown then, and what is said. */
function actsOf({ session, run }: Work, setView: (view: View) => void) {
  const { client } = session;
  const listed = (info: PackageInfo) => {
    session.app.update((app) => ({
      ...app,
      packages: app.packages.some((known) => known.packageId === info.packageId)
        ? app.packages.map((known) => (known.packageId === info.packageId ? info : known))
        : [...app.packages, info],
    }));
  };
  const done = (info: PackageInfo | null, said: "toast.installed" | "toast.updated") => {
    if (info === null) return;
    listed(info);
    session.toast((t) => t(said, { name: info.displayName, version: info.version }), "success");
    setView({ show: "list" });
  };
  return {
    async look(place: Place) {
      const from = placeParams(place);
      const review = await run(() => client.call("package.inspect", from));
      if (review !== null) setView({ show: "review", review, from });
    },
    async lookForUpdate({ packageId }: PackageInfo) {
      const review = await run(() => client.call("package.inspect", { packageId }));
      if (review !== null) setView({ show: "review", review, from: null });
    },
    async install({ treeHash }: PackageReview, from: object | null) {
      done(await run(() => client.call("package.install", { ...from, treeHash })), "toast.installed");
    },
    async update({ packageId, treeHash, dev: isLink }: PackageReview, from: object | null, accept: boolean) {
      // A link is updated as what it is; only where it leads may be told anew.
      const place = from === null || isLink ? {} : from;
      const params = { packageId, treeHash, accept, ...place };
      done(await run(() => client.call("package.update", params)), "toast.updated");
    },
    async allow({ packageId }: PackageInfo) {
      const info = await run(() => client.call("package.update", { packageId, accept: true }));
      if (info !== null) listed(info);
    },
    async rollBack({ packageId }: PackageInfo) {
      done(await run(() => client.call("package.rollback", { packageId })), "toast.updated");
    },
    async remove(info: PackageInfo, dropData: boolean) {
      const { packageId } = info;
      if ((await run(() => client.call("package.remove", { packageId, dropData }))) === null) return;
      session.app.update((app) => ({
        ...app,
        packages: app.packages.filter((known) => known.packageId !== packageId),
      }));
      session.toast((t) => t("toast.uninstalled", { name: info.displayName }));
      setView({ show: "list" });
    },
  };
}

function Tabs({ tab, onChange }: { tab: Tab; onChange(tab: Tab): void }) {
  const t = useT();
  const tabs: readonly [Tab, string][] = [
    ["installed", t("packages.installed")],
    ["catalogues", t("catalogue.title")],
  ];
  return (
    <div className={styles["tabs"]} role="tablist">
      {tabs.map(([id, label]) => (
        <button
          key={id}
          type="button"
          role="tab"
          className={`btn ${styles["tab"]}`}
          aria-selected={tab === id}
          onClick={() => onChange(id)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

function Installed({ work, acts, onRemove }: { work: Work; acts: Acts; onRemove(info: PackageInfo): void }) {
  const t = useT();
  const packages = useStore(work.session.app, (app) => app.packages);
  const installed = packages.filter((info) => info.source !== null);
  const bundled = packages.filter((info) => info.source === null);
  return (
    <section className={styles["part"]} aria-label={t("packages.installed")}>
      {installed.length === 0 ? <p className="muted">{t("packages.none")}</p> : null}
      <ul className={styles["list"]}>
        {[...installed, ...bundled].map((info) => (
          <PackageRow
            key={info.packageId}
            info={info}
            busy={work.busy}
            onUpdate={() => void acts.lookForUpdate(info)}
            onRollback={() => void acts.rollBack(info)}
            onRemove={() => onRemove(info)}
            onAllow={() => void acts.allow(info)}
          />
        ))}
      </ul>
    </section>
  );
}
