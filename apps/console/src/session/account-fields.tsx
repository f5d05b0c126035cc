import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";

/** The name, email and password of a new account. */
export function useAccount() {
  const [value, setValue] = useState({ name: "", email: "", password: "" });
  return {
    value,
    set: (field: keyof typeof value) => (text: string) => setValue({ ...value, [field]: text }),
  };
}

export function AccountFields({ account }: { account: ReturnType<typeof useAccount> }) {
  const { t } = useTranslation();
  const { value, set } = account;
  return (
    <>
      <TextField
        name="name"
        label={t("fields.yourName")}
        autoComplete="name"
        required
        value={value.name}
        onChange={set("name")}
      />
      <TextField
        name="email"
        label={t("fields.email")}
        type="email"
        autoComplete="username"
        required
        value={value.email}
        onChange={set("email")}
      />
      <TextField
        name="password"
        label={t("fields.password")}
        hint={t("fields.passwordHint")}
        type="password"
        autoComplete="new-password"
        required
        value={value.password}
        onChange={set("password")}
      />
    </>
  );
}
