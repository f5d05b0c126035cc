import type { Tenant } from "@souk/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { ErrorNote } from "../components/error-note";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { useRecordForm } from "../lib/record-form";
import { useSouk } from "../lib/souk";
import { RemoveTenant } from "./remove-tenant";

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
        <>
          <Card>
            <TenantForm tenant={tenant.data} />
          </Card>
          <RemoveTenant name={tenant.data.name} />
        </>
      )}
    </Page>
  );
}

const valuesOf = ({ name, time_zone }: Tenant) => ({ name, time_zone });

function TenantForm({ tenant }: { tenant: Tenant }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const store = (read: Tenant) => {
    queries.setQueryData(["tenant"], read);
    return read;
  };
  const { values, set, form } = useRecordForm({
    record: tenant,
    valuesOf,
    save: async (changed, { updated_at }) => {
      const saved = store(await souk.tenant.update({ ...changed, updated_at }));
      await queries.invalidateQueries({ queryKey: ["me"] });
      return saved;
    },
    reread: async () => store(await souk.tenant.get()),
  });
  // The browser's list does not contain UTC.
  const zones = [...new Set([tenant.time_zone, "UTC", ...Intl.supportedValuesOf("timeZone")])];
  return (
    <Form {...form}>
      <TextField
        name="name"
        label={t("fields.tenantName")}
        required
        value={values.name}
        onChange={(name) => set({ name })}
      />
      <SelectField
        name="time_zone"
        label={t("settings.timeZone")}
        hint={t("settings.timeZoneHint")}
        options={zones.map((value) => ({ value, label: value.replaceAll("_", " ") }))}
        value={values.time_zone}
        onChange={(time_zone) => set({ time_zone })}
      />
    </Form>
  );
}
