import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";
import { useSession } from "./session";

/** The name and the password of the signed-in person. */
export function AccountDialog({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const { user } = useSession();
  const [name, setName] = useState(user.name);
  const [password, setPassword] = useState("");
  const save = useMutation({
    mutationFn: async () => {
      const { error } = await souk.supabase.auth.updateUser({
        ...(name !== user.name && { data: { name } }),
        ...(password && { password }),
      });
      if (error) throw error;
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["me"] });
      toastDone(t("common.saved"));
      onClose();
    },
  });
  return (
    <Dialog title={t("session.account")} lead={user.email ?? undefined} onClose={onClose}>
      <Form
        action={save}
        onSubmit={() => save.mutate()}
        submit={t("common.save")}
        onCancel={onClose}
      >
        <TextField
          name="name"
          label={t("fields.yourName")}
          required
          autoComplete="name"
          value={name}
          onChange={setName}
        />
        <TextField
          name="password"
          label={t("session.newPassword")}
          hint={t("session.newPasswordHint")}
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
        />
      </Form>
    </Dialog>
  );
}
