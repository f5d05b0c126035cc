import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { AccountFields, useAccount } from "./account-fields";

/** Creates an account, and a tenant with this account as its admin. */
export function OpenTenant() {
  const { t } = useTranslation();
  const souk = useSouk();
  const account = useAccount();
  const [tenant_name, setTenantName] = useState("");
  const open = useMutation({
    mutationFn: () => souk.auth.register({ ...account.value, tenant_name }),
  });
  return (
    <Form
      action={open}
      onSubmit={() => open.mutate()}
      submit={t("entrance.openTenant.submit")}
      wide
    >
      <TextField
        name="tenant_name"
        label={t("fields.tenantName")}
        autoComplete="organization"
        required
        value={tenant_name}
        onChange={setTenantName}
      />
      <AccountFields account={account} />
    </Form>
  );
}
