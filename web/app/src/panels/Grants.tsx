import { useEffect, useState } from "react";
import { PERMISSIONS } from "@cardloom/protocol";
import { AskedPermissions } from "../asking/AskedPermissions";
import { useSession, useT } from "../shell/context";
import type { Grant } from "../wire/records";

/** What a package may do in this workspace; each permission can be given and taken back here. */
export function Grants({ packageId }: { packageId: string }) {
  const session = useSession();
  const t = useT();
  const [grants, setGrants] = useState<readonly Grant[]>([]);
  useEffect(() => {
    let wanted = true;
    session.client
      .call("grant.list", { workspaceId: session.workspaceId })
      .then((list) => {
        if (wanted) setGrants(list.grants.filter((grant) => grant.packageId === packageId));
      })
      .catch((error: unknown) => session.report("fail.grants", error));
    return () => {
      wanted = false;
    };
  }, [session, packageId]);
  if (grants.length === 0) return null;

  const set = (permission: Grant["permission"], granted: boolean) => {
    const show = (value: boolean) =>
      setGrants((known) => known.map((grant) => (grant.permission === permission ? { ...grant, granted: value } : grant)));
    show(granted);
    session.client
      .call("grant.set", { workspaceId: session.workspaceId, packageId, permission, granted })
      .catch((error: unknown) => {
        show(!granted);
        session.report("fail.grants", error);
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
