import { useCallback, useEffect, useState } from "react";
import { PERMISSIONS } from "@cardloom/protocol";
import { AskedPermissions } from "../asking/AskedPermissions";
import { useSession, useT } from "../shell/context";
import { AskingOrder } from "../state/askingOrder";
import type { Grant, GrantsChanged } from "../wire/records";

/** What a package may do in this workspace; each permission can be given and taken back here, and elsewhere meanwhile. */
export function Grants({ packageId }: { packageId: string }) {
  const session = useSession();
  const t = useT();
  const [grants, setGrants] = useState<readonly Grant[]>([]);
  const [order] = useState(() => new AskingOrder());
  const read = useCallback(() => {
    const isNews = order.ask();
    session.client
      .call("grant.list", { workspaceId: session.workspaceId })
      .then((list) => {
        if (isNews()) setGrants(list.grants.filter((grant) => grant.packageId === packageId));
      })
      .catch((error: unknown) => {
        if (isNews()) session.report("fail.grants", error);
      });
  }, [session, packageId, order]);
  useEffect(() => {
    const { client } = session;
    const stops = [
      client.on("grants.changed", (told: GrantsChanged) => {
        if (told.packageId === packageId && told.workspaceId === session.workspaceId) read();
      }),
      // Another version may ask for other permissions.
      client.on("packages.changed", read),
      // What changed meanwhile was told to nobody here.
      client.on("client.online", read),
      client.on("stream.gap", read),
    ];
    read();
    return () => {
      order.ask()();
      stops.forEach((stop) => stop());
    };
  }, [session, packageId, order, read]);
  if (grants.length === 0) return null;

  const set = (permission: Grant["permission"], granted: boolean) => {
    const show = (value: boolean) =>
      setGrants((known) => known.map((grant) => (grant.permission === permission ? { ...grant, granted: value } : grant)));
    order.ask()(); // a list that was asked for before does not know of this
    show(granted);
    session.client
      .call("grant.set", { workspaceId: session.workspaceId, packageId, permission, granted })
      .catch((error: unknown) => {
        show(!granted);
        session.report("fail.grants", error);
        read();
      });
  };

  return (
    <section className="ports-list">
      <h3>{t("card.permissions")}</h3>
      <AskedPermissions
        permissions={grants.map(({ permission }) => ({ id: permission, risk: PERMISSIONS[permission].risk, hosts: [] }))}
        mark={({ id }) => {
          const grant = grants.find(({ permission }) => permission === id);
          if (grant === undefined) return null;
          return (
            <input
              type="checkbox"
              checked={grant.granted}
              onChange={(event) => set(grant.permission, event.target.checked)}
            />
          );
        }}
      />
    </section>
  );
}
