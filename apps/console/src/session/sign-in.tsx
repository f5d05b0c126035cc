import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";

export function SignIn() {
  const { t } = useTranslation();
  const souk = useSouk();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useMutation({ mutationFn: () => souk.auth.login({ email, password }) });
  return (
    <Form
      action={signIn}
      onSubmit={() => signIn.mutate()}
      submit={t("entrance.signIn.submit")}
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
      <TextField
        name="password"
        label={t("fields.password")}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
    </Form>
  );
}
