import { memo, useMemo, type MouseEvent } from "react";
import { useT } from "../shell/context";
import { blocksHtml, colouredHtml } from "./markdown";
import styles from "./content.module.css";

/** Markdown as blocks that stay in the page while the text grows behind them. */
export default function Rendered({ text }: { text: string }) {
  const t = useT();
  const blocks = useMemo(() => blocksHtml(text), [text]);
  const onClick = (event: MouseEvent) => {
    const button = (event.target as Element).closest("[data-copy]");
    const code = button?.closest("figure")?.querySelector("code")?.textContent;
    if (code === undefined || code === null) return;
    void navigator.clipboard.writeText(code);
    button?.setAttribute("data-copied", "");
    setTimeout(() => button?.removeAttribute("data-copied"), 1500);
  };
  return (
    <div className={styles["markdown"]} onClick={onClick} data-copy-label={t("chat.copy")}>
      {blocks.map((html, at) => (
        <Block key={at} html={html} copy={t("chat.copy")} />
      ))}
    </div>
  );
}

/** What `blocksHtml` gives is safe as it is: see there. */
const Block = memo(function Block({ html, copy }: { html: string; copy: string }) {
  const inner = useMemo(
    () => ({ __html: html.replaceAll("data-copy></button>", `data-copy>${copy}</button>`) }),
    [html, copy],
  );
  return <div dir="auto" className={styles["block"]} dangerouslySetInnerHTML={inner} />;
});

/** Code or JSON in colours. */
export function Code({ text, language }: { text: string; language: string }) {
  const inner = useMemo(() => ({ __html: colouredHtml(text, language) }), [text, language]);
  return (
    <pre className={styles["code"]} tabIndex={0}>
      <code dangerouslySetInnerHTML={inner} />
    </pre>
  );
}
