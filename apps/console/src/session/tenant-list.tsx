import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { isConsoleRole } from "../lib/permissions";
import { useSwitchTenant, useTenants } from "./switch-tenant";

/** The tenants in which the person may use the console. */
export function TenantList() {
  const { t } = useTranslation();
  const tenants = useTenants();
  const change = useSwitchTenant();
  const choices = tenants.data?.tenants.filter(
    ({ role, status }) => isConsoleRole(role) && status === "active",
  );
  return choices?.map(({ id, name, role }) => (
    <Button key={id} variant="primary" pending={change.isPending} onClick={() => change.mutate(id)}>
      {name} · {t(`roles.${role}`)}
    </Button>
  ));
}
