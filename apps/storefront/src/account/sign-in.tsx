import { useRef } from "preact/hooks";
import { ErrorNote } from "../app/error-note";
import { Field } from "../app/field";
import { say } from "../lib/notice";
import { signIn } from "../lib/session";
import { useShop } from "../lib/shop";
import { t } from "../lib/texts";
import { useAction } from "../lib/use-action";
import { AccountForm } from "./form";

/** Signs in with an account. The cart is kept, and is checked when it is shown. */
export function SignIn() {
  const { souk, marketplace } = useShop();
  const email = useRef<HTMLDivElement>(null);
  const forgotten = useAction(async () => {
    const field = email.current?.querySelector("input");
    if (!field?.reportValidity()) return;
    const { error } = await souk.supabase.auth.resetPasswordForEmail(field.value, {
      redirectTo: `${location.origin}/new-password`,
    });
    if (error) throw error;
    say(t("account.mailSent"));
  });
  return (
    <AccountForm
      title={t("account.signIn")}
      submit={t("account.signIn")}
      onSubmit={(text) =>
        signIn(souk, marketplace.tenant_id, { email: text("email"), password: text("password") })
      }
    >
      <div ref={email}>
        <Field label={t("account.email")} name="email" type="email" autocomplete="email" required />
      </div>
      <Field
        label={t("account.password")}
        name="password"
        type="password"
        autocomplete="current-password"
        required
      />
      <button type="button" class="link" disabled={forgotten.busy} onClick={() => forgotten.run()}>
        {t("account.forgotten")}
      </button>
      <ErrorNote error={forgotten.error} />
    </AccountForm>
  );
}
