import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { useSouk } from "../lib/souk";
import { EntranceFrame } from "./entrance-frame";
import { TenantList } from "./tenant-list";

/** The page for people who are signed in without a role for the console. */
export function NoAccess() {
  const { t } = useTranslation();
  const souk = useSouk();
  return (
    <EntranceFrame title={t("entrance.noAccess")}>
      <p className="muted">{t("entrance.noAccessHint")}</p>
      <TenantList />
      <Button onClick={() => souk.auth.logout()}>{t("session.signOut")}</Button>
    </EntranceFrame>
  );
}
