import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Icon } from "../components/icon";
import { useMay } from "../session/session";
import { NAVIGATION } from "./navigation";

/** The pages whose entries are not marked on the pages below them. */
const EXACT: readonly unknown[] = ["/", "/settings"];

/** The menu with the pages that the person may open. */
export function Menu() {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <nav className="menu" aria-label={t("common.menu")}>
      {NAVIGATION.map((group) => (
        <ul key={group[0]?.name}>
          {group
            .filter(({ needs }) => may(needs))
            .map(({ to, name, icon }) => (
              <li key={name}>
                <Link
                  to={to}
                  className="menu-link"
                  activeOptions={{ exact: EXACT.includes(to), includeSearch: false }}
                >
                  <Icon name={icon} />
                  {t(`${name}.title`)}
                </Link>
              </li>
            ))}
        </ul>
      ))}
    </nav>
  );
}
