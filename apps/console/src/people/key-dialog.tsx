import { PERMISSIONS, type Permission } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { CopyField } from "../components/copy-field";
import { Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";

/** The permissions with which a client reads. */
const READING = (Object.keys(PERMISSIONS) as Permission[]).filter(
  (permission) => permission.endsWith(".read") && "client" in PERMISSIONS[permission],
);

/** Creates an API key for a machine. Its secret is shown once. */
export function KeyDialog({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [rights, setRights] = useState<"all" | "reading">("all");
  const create = useMutation({
    mutationFn: () =>
      souk.apiKeys.create({ name, ...(rights === "reading" && { scopes: READING }) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["apiKeys"] }),
  });
  if (create.data) {
    const { client_id, client_secret } = create.data;
    return (
      <Dialog title={t("keys.made")} lead={t("keys.madeHint")} onClose={onClose}>
        <CopyField label="client_id" text={client_id} />
        <CopyField label="client_secret" text={client_secret ?? ""} />
        <div className="form-foot">
          <Button variant="primary" onClick={onClose}>
            {t("common.done")}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t("keys.add")} lead={t("keys.addHint")} onClose={onClose}>
      <Form
        action={create}
        onSubmit={() => create.mutate()}
        submit={t("keys.add")}
        onCancel={onClose}
      >
        <TextField
          name="name"
          label={t("fields.name")}
          hint={t("keys.nameHint")}
          required
          autoComplete="off"
          value={name}
          onChange={setName}
        />
        <SelectField
          name="scopes"
          label={t("keys.rights")}
          options={[
            { value: "all", label: t("keys.allOf", { role: t("roles.client") }) },
            { value: "reading", label: t("keys.reading") },
          ]}
          value={rights}
          onChange={setRights}
        />
      </Form>
    </Dialog>
  );
}
