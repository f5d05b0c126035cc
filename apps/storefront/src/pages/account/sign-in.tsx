import { useRef } from "preact/hooks";
import { ActionButton, ActionForm } from "../../shop/action";
import { signIn } from "../../shop/session";
import { useShop } from "../../shop/shop";
import { EmailField, Field } from "../../ui/field";
import { showNotice } from "../../ui/notice";
import { t } from "../../ui/texts";

/** Signs in with an account. The cart is kept, and is checked when it is shown. */
export function SignIn() {
  const { souk, marketplace } = useShop();
  const email = useRef<HTMLDivElement>(null);
  async function sendMail() {
    const field = email.current?.querySelector("input");
    if (!field?.reportValidity()) return;
    const { error } = await souk.supabase.auth.resetPasswordForEmail(field.value, {
      redirectTo: `${location.origin}/new-password`,
    });
    if (error) throw error;
    showNotice(t("account.mailSent"));
  }
  return (
    <ActionForm
      title={t("account.signIn")}
      submit={t("account.signIn")}
      onSubmit={(text) =>
        signIn(souk, marketplace.tenant_id, { email: text("email"), password: text("password") })
      }
    >
      <h2>{t("account.signIn")}</h2>
      <div ref={email}>
        <EmailField />
      </div>
      <Field
        label={t("account.password")}
        name="password"
        type="password"
        autocomplete="current-password"
        required
      />
      <ActionButton kind="link" act={sendMail}>
        {t("account.forgotten")}
      </ActionButton>
    </ActionForm>
  );
}
