import { ActionForm } from "../../shop/action";
import { useShop } from "../../shop/shop";
import { Field } from "../../ui/field";
import { say } from "../../ui/notice";
import { t } from "../../ui/texts";
import { NewPassword } from "./new-password-page";

/** Registers the guest as a customer. The user id and the orders stay the same. */
export function SignUp({ title, email }: { title: string; email?: string }) {
  const { souk } = useShop();
  return (
    <ActionForm
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
      <h2>{title}</h2>
      <Field label={t("account.name")} name="name" autocomplete="name" required />
      <Field
        label={t("account.email")}
        name="email"
        type="email"
        autocomplete="email"
        required
        defaultValue={email}
      />
      <NewPassword />
    </ActionForm>
  );
}
