import { catalogue } from "../i18n/catalogue";
import { fillText } from "../i18n/texts";
import type { Language } from "../wire/records";

/** The language of the browser, for the one page that is shown before the server could say. */
function browserLanguage(): Language {
  const wanted = navigator.language.slice(0, 2);
  return wanted === "ru" || wanted === "zh" ? wanted : "en";
}

/** Nobody is let in without the code that the command line prints; a used or old code ends here. */
export function AccessPage({ why }: { why: "none" | "used" | "refused" }) {
  const language = browserLanguage();
  return (
    <main className="place is-alone">
      <img src="/mark.svg" alt="" width="44" height="44" />
      <h1>{fillText(catalogue["access.title"], language)}</h1>
      <p>{fillText(catalogue[`access.${why}`], language)}</p>
      <p>
        <code className="command">cardloom open</code>
      </p>
      <p className="muted">{fillText(catalogue["access.why"], language)}</p>
    </main>
  );
}
