import type { Tenant } from "@souk/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { ErrorNote } from "../components/error-note";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";

export function TenantPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const tenant = useQuery({
    queryKey: ["tenant"],
    queryFn: ({ signal }) => souk.tenant.get({ signal }),
  });
  return (
    <Page title={t("settings.title")} lead={t("settings.lead")}>
      {tenant.error && <ErrorNote error={tenant.error} onRetry={() => tenant.refetch()} />}
      {tenant.isPending && <Loading />}
      {tenant.data && (
        <Card>
          <TenantForm tenant={tenant.data} />
        </Card>
      )}
    </Page>
  );
}

function TenantForm({ tenant }: { tenant: Tenant }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [name, setName] = useState(tenant.name);
  const [time_zone, setTimeZone] = useState(tenant.time_zone);
  const save = useMutation({
    mutationFn: () => souk.tenant.update({ name, time_zone }),
    onSuccess: async (saved) => {
      queries.setQueryData(["tenant"], saved);
      await queries.invalidateQueries({ queryKey: ["me"] });
      toastDone(t("common.saved"));
    },
  });
  // The browser's list does not contain UTC.
  const zones = [...new Set([tenant.time_zone, "UTC", ...Intl.supportedValuesOf("timeZone")])];
  return (
    <Form action={save} onSubmit={() => save.mutate()}>
      <TextField
        name="name"
        label={t("fields.tenantName")}
        required
        value={name}
        onChange={setName}
      />
      <SelectField
        name="time_zone"
        label={t("settings.timeZone")}
        hint={t("settings.timeZoneHint")}
        options={zones.map((value) => ({ value, label: value.replaceAll("_", " ") }))}
        value={time_zone}
        onChange={setTimeZone}
      />
    </Form>
  );
}
