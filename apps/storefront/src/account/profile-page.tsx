import { Page } from "../app/page";
import { say } from "../lib/notice";
import { useShop } from "../lib/shop";
import { t } from "../lib/texts";
import { useAction } from "../lib/use-action";
import { OrderList } from "../orders/order-list";
import { SignIn } from "./sign-in";
import { SignUp } from "./sign-up";

/** The account or the forms to get one, and the orders, which guests have as well. */
export function ProfilePage() {
  const { souk, user } = useShop();
  const leave = useAction(async () => {
    say(t("account.signedOut"));
    await souk.auth.logout();
  });
  return (
    <Page title={t("account.title")}>
      {user.isGuest ? (
        <div class="columns">
          <SignIn />
          <SignUp title={t("account.create")} />
        </div>
      ) : (
        <div class="row between">
          <p>
            <bdi>{user.name}</bdi> <bdi class="muted">{user.email}</bdi>
          </p>
          <button type="button" class="quiet" disabled={leave.busy} onClick={() => leave.run()}>
            {t("account.signOut")}
          </button>
        </div>
      )}
      <OrderList />
    </Page>
  );
}
