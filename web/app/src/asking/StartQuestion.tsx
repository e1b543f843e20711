import { useT } from "../shell/context";
import { WarningIcon } from "../shell/icons";
import type { Dialog } from "../wire/records";
import { AskedPermissions } from "./AskedPermissions";
import { permissionsOf, textOf } from "./dialogData";
import { Question } from "./Question";

const FACTS = ["packageId", "version", "folder", "path"] as const;

/** Whether a package's program may run here. */
export function StartQuestion({ dialog }: { dialog: Dialog }) {
  const t = useT();
  const { data } = dialog;
  const name = textOf(data["name"]) ?? dialog.title;
  const permissions = permissionsOf(data["permissions"]);
  return (
    <Question
      dialog={dialog}
      title={t("ask.startTitle", { name })}
      buttons={(answer, answered) => (
        <>
          <button type="button" className="btn" disabled={answered} onClick={() => answer(false)}>
            {t("ask.refuse")}
          </button>
          <button type="button" className="btn is-primary" disabled={answered} onClick={() => answer(true)}>
            {t("ask.allow")}
          </button>
        </>
      )}
    >
      <p className="ask-rights">
        <WarningIcon size={18} />
        <span>{t("ask.rights")}</span>
      </p>
      {textOf(data["message"]) === null ? null : <p>{textOf(data["message"])}</p>}
      <dl className="rows">
        {FACTS.map((fact) => {
          const value = textOf(data[fact]);
          return value === null ? null : (
            <div className="row" key={fact}>
              <dt>{t(`ask.${fact}`)}</dt>
              <dd>
                <code title={value}>{value}</code>
              </dd>
            </div>
          );
        })}
      </dl>
      {permissions.length === 0 ? null : (
        <section>
          <h3>{t("ask.permissions")}</h3>
          <AskedPermissions permissions={permissions} />
        </section>
      )}
    </Question>
  );
}
