import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { useMay } from "../session/session";
import { NAVIGATION } from "./navigation";

/** The list of keyboard shortcuts. */
export function ShortcutsHelp({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const may = useMay();
  const pages = NAVIGATION.flat().filter(({ needs }) => may(needs));
  return (
    <Dialog title={t("shortcuts.title")} onClose={onClose}>
      <dl className="shortcuts">
        <Shortcut keys={["/"]} meaning={t("shortcuts.search")} />
        <Shortcut keys={["n"]} meaning={t("shortcuts.new")} />
        <Shortcut keys={["?"]} meaning={t("shortcuts.help")} />
        {pages.map(({ key, name }) => (
          <Shortcut key={name} keys={["g", key]} meaning={t(`${name}.title`)} />
        ))}
      </dl>
    </Dialog>
  );
}

function Shortcut({ keys, meaning }: { keys: readonly string[]; meaning: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{meaning}</dd>
    </div>
  );
}
