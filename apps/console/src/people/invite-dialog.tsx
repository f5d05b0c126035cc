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
import { invitationLink } from "../session/arrival";

/** Invites a person. The code is shown once, and the operator sends it. */
export function InviteDialog({ as, onClose }: { as: Role; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const suppliers = useSuppliers();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>(as);
  const [supplier, setSupplier] = useState("");
  const [newName, setNewName] = useState("");
  const invite = useMutation({
    mutationFn: async () => {
      if (role !== "supplier") return souk.invitations.create({ email, role });
      const supplier_id = supplier || (newName && (await openSupplier()));
      return souk.invitations.create({ email, role, ...(supplier_id && { supplier_id }) });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ["invitations"] }),
  });
  /** It is chosen, so that a second attempt does not open it again. */
  async function openSupplier(): Promise<string> {
    const { id } = await souk.suppliers.create({ name: newName });
    await queries.invalidateQueries({ queryKey: ["suppliers"] });
    setSupplier(id);
    return id;
  }
  if (invite.data?.token) {
    return (
      <Dialog
        title={t("invitations.made")}
        lead={t("invitations.madeHint", { email })}
        onClose={onClose}
      >
        <CopyField label={t("invitations.link")} text={invitationLink(invite.data.token)} />
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
        {role === "supplier" && !supplier && (
          <TextField
            name="supplier_name"
            label={t("invitations.newName")}
            hint={t("invitations.newNameHint")}
            value={newName}
            onChange={setNewName}
          />
        )}
      </Form>
    </Dialog>
  );
}
