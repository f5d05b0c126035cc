import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";

/** Asks for a mail with a link to choose a new password. */
export function ForgotPassword() {
  const { t } = useTranslation();
  const souk = useSouk();
  const [email, setEmail] = useState("");
  const ask = useMutation({
    mutationFn: async () => {
      const { error } = await souk.supabase.auth.resetPasswordForEmail(email, {
        redirectTo: `${location.origin}/`,
      });
      if (error) throw error;
    },
  });
  // Nobody learns here which addresses have an account.
  if (ask.isSuccess) return <p role="status">{t("entrance.forgotPassword.sent", { email })}</p>;
  return (
    <Form
      action={ask}
      onSubmit={() => ask.mutate()}
      submit={t("entrance.forgotPassword.submit")}
      wide
    >
      <TextField
        name="email"
        label={t("fields.email")}
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={setEmail}
      />
    </Form>
  );
}
