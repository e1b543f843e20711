import type { ReactNode } from "react";
import { useT } from "../shell/context";
import { isPermission, type Asked } from "./dialogData";

const RISK_TONES = { low: "success", medium: "warning", high: "danger" } as const;

interface AskedPermissionsProps {
  permissions: readonly Asked[];
  /** What stands in front of each, such as a box to tick. */
  mark?(permission: Asked): ReactNode;
}

/** Permissions as a person judges them: what each allows, how risky that is, where it reaches, and why it is wanted. */
export function AskedPermissions({ permissions, mark }: AskedPermissionsProps) {
  const t = useT();
  return (
    <ul className="permissions">
      {permissions.map((permission) => {
        const { id, risk, hosts, reason } = permission;
        const words = (
          <>
            {isPermission(id) ? <b>{t(`permission.${id}`)}</b> : null}
            <code className="muted">{id}</code>
            <span className={`chip tone-${RISK_TONES[risk]}`}>{t(`risk.${risk}`)}</span>
            {hosts.length === 0 ? null : <code className="asked-hosts">{hosts.join(", ")}</code>}
            {reason === undefined ? null : <small className="muted">{reason}</small>}
          </>
        );
        return mark === undefined ? (
          <li key={id}>{words}</li>
        ) : (
          <li key={id}>
            <label className="asked-choice">
              {mark(permission)}
              <span>{words}</span>
            </label>
          </li>
        );
      })}
    </ul>
  );
}
