import type { Member, MemberChanges } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { Dialog } from "../components/dialog";
import { ErrorNote } from "../components/error-note";
import { SelectField } from "../components/field";
import { Form } from "../components/form";
import { changedIn } from "../lib/edits";
import { useSuppliers } from "../lib/names";
import { ROLES } from "../lib/permissions";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";

/** Changes the role of a member, suspends it, or removes it. */
export function MemberDialog({ member, onClose }: { member: Member; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const suppliers = useSuppliers();
  const [role, setRole] = useState(member.role);
  const [supplier, setSupplier] = useState(member.supplier_id ?? "");
  const [isRemoving, setRemoving] = useState(false);
  const refresh = () => queries.invalidateQueries({ queryKey: ["members"] });
  const change = useMutation({
    mutationFn: (changes: MemberChanges) => souk.members.update(member.user_id, changes),
    onSuccess: async (_, changes) => {
      await refresh();
      const before: MemberChanges = changes.status
        ? { status: member.status }
        : { role: member.role, supplier_id: member.supplier_id };
      toastDone(t("common.saved"), { label: t("common.undo"), run: () => change.mutate(before) });
      onClose();
    },
  });
  const remove = useMutation({
    mutationFn: () => souk.members.remove(member.user_id),
    onSuccess: async () => {
      await refresh();
      onClose();
    },
  });
  if (isRemoving) {
    return (
      <Confirm
        title={t("members.remove")}
        submit={t("members.remove")}
        action={remove}
        onConfirm={() => remove.mutate()}
        onClose={() => setRemoving(false)}
      >
        {t("members.removeHint", { name: member.name })}
      </Confirm>
    );
  }
  const isActive = member.status === "active";
  return (
    <Dialog title={member.name} lead={member.email} onClose={onClose}>
      <Form
        action={change}
        onSubmit={() => {
          const typed = { role, supplier_id: role === "supplier" ? supplier || null : null };
          const changes = changedIn<MemberChanges>(member, typed);
          if (Object.keys(changes).length > 0) change.mutate(changes);
          else onClose();
        }}
        onCancel={onClose}
      >
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
            label={t("fields.supplier")}
            options={[
              { value: "", label: t("members.chooseSupplier") },
              ...(suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={supplier}
            onChange={setSupplier}
          />
        )}
      </Form>
      <div className="dialog-more">
        <Button onClick={() => change.mutate({ status: isActive ? "suspended" : "active" })}>
          {isActive ? t("members.suspend") : t("members.reinstate")}
        </Button>
        <Button variant="danger" onClick={() => setRemoving(true)}>
          {t("members.remove")}
        </Button>
      </div>
      {remove.error && <ErrorNote error={remove.error} />}
    </Dialog>
  );
}
