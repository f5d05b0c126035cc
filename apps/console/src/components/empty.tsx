import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { PayoutSearch } from "../payouts/search";
import { ButtonLink } from "./button";
import { Icon, type IconName } from "./icon";

/** The text of an empty list, with the next step. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** The text of a filtered list without rows. Its link opens the list without filters. */
export function NothingFound({
  list,
  search,
}: {
  list: "/audit-log" | "/campaigns" | "/customers" | "/orders" | "/payouts" | "/products";
  /** What the link keeps, such as the tab. */
  search?: Pick<PayoutSearch, "tab">;
}) {
  const { t } = useTranslation();
  return (
    <Empty
      icon="search"
      title={t("common.nothingFound")}
      action={
        <ButtonLink to={list} search={search}>
          {t("common.clearFilters")}
        </ButtonLink>
      }
    />
  );
}
