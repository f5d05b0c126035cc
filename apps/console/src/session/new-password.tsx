import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";
import { EntranceFrame } from "./entrance-frame";

/** The page that the link of a mail for a new password leads to. The link has signed the person in. */
export function NewPassword({ onDone }: { onDone(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const [password, setPassword] = useState("");
  const save = useMutation({
    mutationFn: async () => {
      const { error } = await souk.supabase.auth.updateUser({ password });
      if (error) throw error;
    },
    onSuccess: () => {
      toastDone(t("common.saved"));
      onDone();
    },
  });
  return (
    <EntranceFrame title={t("session.newPassword")}>
      <Form action={save} onSubmit={() => save.mutate()} submit={t("common.save")} wide>
        <TextField
          name="password"
          label={t("session.newPassword")}
          hint={t("fields.passwordHint")}
          type="password"
          autoComplete="new-password"
          required
          value={password}
          onChange={setPassword}
        />
      </Form>
      <div className="entrance-others">
        <button type="button" className="link" onClick={onDone}>
          {t("common.cancel")}
        </button>
      </div>
    </EntranceFrame>
  );
}
