import { Dialog } from "@base-ui/react/dialog";
import { Outlet, useMatches, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../components/icon";
import { Logo } from "../components/logo";
import { may } from "../lib/permissions";
import { useSession } from "../session/session";
import { AccountMenu } from "./account-menu";
import { Menu } from "./menu";
import { NewOrders } from "./new-orders";
import { NotFound } from "./not-found";
import { Shortcuts } from "./shortcuts";

/** The frame of every page: the menu, and the background listeners. */
export function Shell() {
  const { t } = useTranslation();
  const { role } = useSession();
  const matches = useMatches();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [path]);
  const allowed = matches.every(
    ({ staticData: { needs } }) => needs === undefined || may(role, needs),
  );
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {t("common.skip")}
      </a>
      <header className="topbar">
        <Dialog.Root open={isMenuOpen} onOpenChange={setMenuOpen}>
          <Dialog.Trigger className="button button-quiet" aria-label={t("common.menu")}>
            <Icon name="menu" />
          </Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Backdrop className="backdrop" />
            <Dialog.Popup className="drawer" aria-label={t("common.menu")}>
              <Logo />
              <Menu />
              <AccountMenu />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
        <Logo />
      </header>
      <aside className="sidebar">
        <Logo />
        <Menu />
        <AccountMenu />
      </aside>
      <main id="content" className="content" tabIndex={-1}>
        {allowed ? <Outlet /> : <NotFound />}
      </main>
      <NewOrders />
      <Shortcuts />
    </div>
  );
}
