import { ActionForm } from "../../shop/action";
import { useShop } from "../../shop/shop";
import { EmailField, Field } from "../../ui/field";
import { showNotice } from "../../ui/notice";
import { t } from "../../ui/texts";
import { NewPassword } from "./new-password-page";

/** Registers a visitor or a guest as a customer. A guest stays the same user, with the same orders. */
export function SignUp({ title, email }: { title: string; email?: string }) {
  const { souk, marketplace, user } = useShop();
  return (
    <ActionForm
      title={title}
      submit={t("account.create")}
      onSubmit={async (text) => {
        const { access_token } = await souk.auth.register({
          email: text("email"),
          password: text("password"),
          name: text("name"),
          // A guest belongs to the tenant already.
          ...(user.id === null && { tenant_id: marketplace.tenant_id }),
        });
        showNotice(access_token === null ? t("account.confirmMail") : t("account.created"));
      }}
    >
      <h2>{title}</h2>
      <Field label={t("account.name")} name="name" autocomplete="name" required />
      <EmailField defaultValue={email} />
      <NewPassword />
    </ActionForm>
  );
}
