import { useLocation } from "wouter-preact";
import { ActionForm } from "../../shop/action";
import { SignInPage } from "../../shop/messages";
import { Page } from "../../shop/page";
import { useShop } from "../../shop/shop";
import { Field } from "../../ui/field";
import { showNotice } from "../../ui/notice";
import { t } from "../../ui/texts";

/** The target of the link in the mail about a forgotten password. The link has already signed the person in. */
export function NewPasswordPage() {
  const { souk, user } = useShop();
  const [, navigate] = useLocation();
  if (!user.hasAccount) {
    return <SignInPage title={t("account.newPassword")} text={t("account.linkUsed")} />;
  }
  return (
    <Page title={t("account.newPassword")}>
      <ActionForm
        title={user.email ?? ""}
        submit={t("account.setPassword")}
        onSubmit={async (text) => {
          const { error } = await souk.supabase.auth.updateUser({ password: text("password") });
          if (error) throw error;
          showNotice(t("account.passwordSet"));
          navigate("/profile");
        }}
      >
        <h2>
          <bdi>{user.email}</bdi>
        </h2>
        <NewPassword />
      </ActionForm>
    </Page>
  );
}

/** A field for a password that somebody chooses. */
export const NewPassword = () => (
  <Field
    label={t("account.newPassword")}
    name="password"
    type="password"
    autocomplete="new-password"
    minLength={8}
    required
  />
);
