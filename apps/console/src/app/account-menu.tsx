import { Menu } from "@base-ui/react/menu";
import { LANGUAGE_NAMES } from "@souk/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../components/icon";
import { isConsoleRole } from "../lib/permissions";
import { useSouk } from "../lib/souk";
import { readTheme, showTheme, THEMES } from "../lib/theme";
import { AcceptInvitation } from "../session/accept-invitation";
import { AccountDialog } from "../session/account-dialog";
import { useSession } from "../session/session";
import { useSwitchTenant, useTenants } from "../session/switch-tenant";
import { isLanguage, showLanguage } from "../texts/texts";
import { ShortcutsHelp } from "./shortcuts-help";

/** The signed-in person, and their choice of tenant, language and colours. */
export function AccountMenu() {
  const { t, i18n } = useTranslation();
  const souk = useSouk();
  const { user, tenant, role } = useSession();
  const tenants = useTenants();
  const change = useSwitchTenant();
  const signOut = useMutation({ mutationFn: () => souk.auth.logout() });
  const [theme, setTheme] = useState(readTheme);
  const [dialog, setDialog] = useState<"account" | "invitation" | "shortcuts" | null>(null);
  const others = tenants.data?.tenants.filter(
    (one) => isConsoleRole(one.role) && one.status === "active",
  );
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="account">
          <span className="avatar" aria-hidden="true">
            {user.name.slice(0, 1).toUpperCase()}
          </span>
          <span className="account-text">
            <strong>{tenant.name}</strong>
            <span>
              {user.name} · {t(`roles.${role}`)}
            </span>
          </span>
          <Icon name="chevron" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner side="top" align="start" sideOffset={6} className="over">
            <Menu.Popup className="popup">
              {others && others.length > 1 && (
                <Menu.RadioGroup
                  value={tenant.id}
                  onValueChange={(id: string) => change.mutate(id)}
                >
                  <p className="popup-label">{t("session.tenant")}</p>
                  {others.map(({ id, name }) => (
                    <Choice key={id} value={id} label={name} />
                  ))}
                </Menu.RadioGroup>
              )}
              <Menu.RadioGroup
                value={theme}
                onValueChange={(chosen: typeof theme) => {
                  showTheme(chosen);
                  setTheme(chosen);
                }}
              >
                <p className="popup-label">{t("session.theme")}</p>
                {THEMES.map((one) => (
                  <Choice key={one} value={one} label={t(`session.themes.${one}`)} />
                ))}
              </Menu.RadioGroup>
              <Menu.RadioGroup
                value={i18n.language}
                onValueChange={(code: string) => {
                  if (isLanguage(code)) void showLanguage(code);
                }}
              >
                <p className="popup-label">{t("session.language")}</p>
                {Object.entries(LANGUAGE_NAMES).map(([code, name]) => (
                  <Choice key={code} value={code} label={name} />
                ))}
              </Menu.RadioGroup>
              <Menu.Separator className="separator" />
              <Menu.Item className="popup-item" onClick={() => setDialog("account")}>
                {t("session.account")}
              </Menu.Item>
              <Menu.Item className="popup-item" onClick={() => setDialog("invitation")}>
                {t("session.acceptInvitation")}
              </Menu.Item>
              <Menu.Item className="popup-item" onClick={() => setDialog("shortcuts")}>
                {t("shortcuts.title")}
              </Menu.Item>
              <Menu.Item className="popup-item" onClick={() => signOut.mutate()}>
                {t("session.signOut")}
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {dialog === "account" && <AccountDialog onClose={() => setDialog(null)} />}
      {dialog === "invitation" && <AcceptInvitation onClose={() => setDialog(null)} />}
      {dialog === "shortcuts" && <ShortcutsHelp onClose={() => setDialog(null)} />}
    </>
  );
}

function Choice({ value, label }: { value: string; label: string }) {
  return (
    <Menu.RadioItem value={value} closeOnClick className="popup-item">
      {label}
      <Menu.RadioItemIndicator className="popup-check">
        <Icon name="check" />
      </Menu.RadioItemIndicator>
    </Menu.RadioItem>
  );
}
