import { t } from "../../ui/texts";
import type { WholeOrder } from "./use-order";

/** The files and keys of a paid order. */
export function Downloads({ downloads }: Pick<WholeOrder, "downloads">) {
  const { files, licence_keys } = downloads;
  if (files.length + licence_keys.length === 0) return null;
  return (
    <section class="part" aria-label={t("downloads.title")}>
      <h2>{t("downloads.title")}</h2>
      <ul>
        {files.map(({ id, name, url }) => (
          <li key={id}>
            {url ? (
              <a href={url} target="_blank" rel="noreferrer" download={name}>
                {t("downloads.file", { name })}
              </a>
            ) : (
              name
            )}
          </li>
        ))}
        {licence_keys.map(({ code }) => (
          <li key={code}>
            {t("downloads.key")} <code>{code}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
