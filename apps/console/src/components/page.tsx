import { Link, type LinkProps } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon";

interface PageProps {
  title: string;
  /** Shown beside the title, such as the status of the record. */
  aside?: ReactNode;
  lead?: ReactNode;
  /** The page above this one. */
  back?: { to: LinkProps["to"]; label: string };
  actions?: ReactNode;
  children: ReactNode;
}

/** A page: its title, its actions, and its content. */
export function Page({ title, aside, lead, back, actions, children }: PageProps) {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = `${title} · ${t("common.product")}`;
  }, [title, t]);
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-title">
          {back && (
            <Link to={back.to} className="page-back">
              <Icon name="back" />
              {back.label}
            </Link>
          )}
          <div className="page-heading">
            <h1>{title}</h1>
            {aside}
          </div>
          {lead && <p className="muted">{lead}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
