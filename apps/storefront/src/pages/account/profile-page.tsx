import { ActionButton } from "../../shop/action";
import { Page } from "../../shop/page";
import { useShop } from "../../shop/shop";
import { showNotice } from "../../ui/notice";
import { t } from "../../ui/texts";
import { OrderList } from "../orders/order-list";
import { SignIn } from "./sign-in";
import { SignUp } from "./sign-up";

/** The account or the forms to get one, and the orders of customers and guests. */
export function ProfilePage() {
  const { souk, user } = useShop();
  async function leave() {
    showNotice(t("account.signedOut"));
    await souk.auth.logout();
  }
  return (
    <Page title={t("account.title")}>
      {user.hasAccount ? (
        <div class="row between">
          <p>
            <bdi>{user.name}</bdi> <bdi class="muted">{user.email}</bdi>
          </p>
          <ActionButton act={leave}>{t("account.signOut")}</ActionButton>
        </div>
      ) : (
        <div class="columns">
          <SignIn />
          <SignUp title={t("account.create")} />
        </div>
      )}
      {user.id !== null && <OrderList />}
    </Page>
  );
}
