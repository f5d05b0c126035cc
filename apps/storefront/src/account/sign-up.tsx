import { Field } from "../app/field";
import { say } from "../lib/notice";
import { useShop } from "../lib/shop";
import { t } from "../lib/texts";
import { AccountForm } from "./form";

/** Registers the guest as a customer. The user id and the orders stay the same. */
export function SignUp({ title, email }: { title: string; email?: string }) {
  const { souk } = useShop();
  return (
    <AccountForm
      title={title}
      submit={t("account.create")}
      onSubmit={async (text) => {
        const { access_token } = await souk.auth.register({
          email: text("email"),
          password: text("password"),
          name: text("name"),
        });
        say(access_token === null ? t("account.confirmMail") : t("account.created"));
      }}
    >
      <Field label={t("account.name")} name="name" autocomplete="name" required />
      <Field
        label={t("account.email")}
        name="email"
        type="email"
        autocomplete="email"
        required
        defaultValue={email}
      />
      <Field
        label={t("account.newPassword")}
        name="password"
        type="password"
        autocomplete="new-password"
        minLength={8}
        required
      />
    </AccountForm>
  );
}
