import { useSession, useT } from "./context";
import { LanguageIcon, MoonIcon, SunIcon, SystemIcon } from "./icons";
import { MenuButton } from "./Menu";
import { useStore } from "../state/store";
import type { Language, SchemeChoice } from "../wire/records";

export const LANGUAGES: readonly { id: Language; name: string }[] = [
  { id: "en", name: "English" },
  { id: "ru", name: "Русский" },
  { id: "zh", name: "中文" },
];
export const SCHEMES: readonly SchemeChoice[] = ["dark", "light", "system"];
const SCHEME_ICONS = { dark: MoonIcon, light: SunIcon, system: SystemIcon };

/** The menus of the colours and the language, at the end of a bar. */
export function LookMenus() {
  const session = useSession();
  const t = useT();
  const preferences = useStore(session.app, (app) => app.preferences);
  // The server keeps what is chosen, so there is nothing to choose from before it is there.
  const away = useStore(session.connection, (state) => state.phase !== "online");
  const SchemeIcon = SCHEME_ICONS[preferences.scheme];
  return (
    <>
      <MenuButton
        className="icon-btn"
        label={t("theme.label")}
        align="end"
        disabled={away}
        entries={SCHEMES.map((scheme) => ({
          id: scheme,
          label: t(`theme.${scheme}`),
          checked: preferences.scheme === scheme,
          run: () => session.setPreferences({ scheme }),
        }))}
      >
        <SchemeIcon />
      </MenuButton>
      <MenuButton
        className="icon-btn"
        label={t("language.label")}
        align="end"
        disabled={away}
        entries={LANGUAGES.map(({ id, name }) => ({
          id,
          label: name,
          checked: preferences.language === id,
          run: () => session.setPreferences({ language: id }),
        }))}
      >
        <LanguageIcon />
      </MenuButton>
    </>
  );
}
