import type { Role } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { CopyField } from "../components/copy-field";
import { Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { useSuppliers } from "../lib/names";
import { ROLES } from "../lib/permissions";
import { useSouk } from "../lib/souk";

/** Invites a person. The code is shown once, and the operator sends it. */
export function InviteDialog({ as, onClose }: { as: Role; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const suppliers = useSuppliers();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>(as);
  const [supplier, setSupplier] = useState("");
  const invite = useMutation({
    mutationFn: () =>
      souk.invitations.create({
        email,
        role,
        ...(role === "supplier" && supplier && { supplier_id: supplier }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["invitations"] }),
  });
  if (invite.data?.token) {
    return (
      <Dialog
        title={t("invitations.made")}
        lead={t("invitations.madeHint", { email })}
        onClose={onClose}
      >
        <CopyField label={t("fields.invitation")} text={invite.data.token} />
        <div className="form-foot">
          <Button variant="primary" onClick={onClose}>
            {t("common.done")}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t("invitations.invite")} lead={t("invitations.hint")} onClose={onClose}>
      <Form
        action={invite}
        onSubmit={() => invite.mutate()}
        submit={t("invitations.invite")}
        onCancel={onClose}
      >
        <TextField
          name="email"
          label={t("fields.email")}
          type="email"
          required
          autoComplete="off"
          value={email}
          onChange={setEmail}
        />
        <SelectField
          name="role"
          label={t("fields.role")}
          options={ROLES.map((value) => ({ value, label: t(`roles.${value}`) }))}
          value={role}
          onChange={setRole}
        />
        {role === "supplier" && (
          <SelectField
            name="supplier_id"
            label={t("invitations.organisation")}
            options={[
              { value: "", label: t("invitations.newOrganisation") },
              ...(suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={supplier}
            onChange={setSupplier}
          />
        )}
      </Form>
    </Dialog>
  );
}
