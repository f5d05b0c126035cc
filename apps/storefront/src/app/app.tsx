import type { SoukClient, Storefront } from "@souk/client";
import { useMemo, useState } from "preact/hooks";
import { Route, Switch } from "wouter-preact";
import { NewPasswordPage } from "../pages/account/new-password-page";
import { ProfilePage } from "../pages/account/profile-page";
import { CartPage } from "../pages/cart/cart-page";
import { ContentPage } from "../pages/catalog/content-page";
import { ListPage } from "../pages/catalog/list-page";
import { ProductPage } from "../pages/catalog/product-page";
import { TemplatePage } from "../pages/catalog/template-page";
import { CheckoutPage } from "../pages/checkout/checkout-page";
import { OrderPage } from "../pages/orders/order-page";
import { NotFound } from "../shop/messages";
import type { Platform } from "../shop/platform";
import { type Session, userOf, useSession } from "../shop/session";
import { ShopContext } from "../shop/shop";
import { Notice } from "../ui/notice";
import { type Language, showLanguage, storeLanguage, t } from "../ui/texts";
import { Consent } from "./consent";
import { Footer } from "./footer";
import { Header } from "./header";
import { useLinks } from "./use-links";

interface Props {
  souk: SoukClient;
  marketplace: Storefront;
  /** Null for a visitor. */
  session: Session | null;
  language: Language;
  platform: Platform;
}

/** The shop: its context, its frame, and its pages by path. The paths are those that templates link to. */
export function App({
  souk,
  marketplace,
  session: first,
  language: firstLanguage,
  platform,
}: Props) {
  const session = useSession(souk, first);
  const [language, setLanguage] = useState(firstLanguage);
  const user = useMemo(() => userOf(session), [session]);

  async function chooseLanguage(chosen: Language) {
    await showLanguage(chosen);
    storeLanguage(chosen);
    const address = new URL(location.href);
    address.searchParams.delete("language");
    history.replaceState(history.state, "", address);
    setLanguage(chosen);
  }

  const shop = { ...platform, souk, marketplace, user, language, chooseLanguage };
  return (
    <ShopContext.Provider value={shop}>
      <Frame key={language} />
    </ShopContext.Provider>
  );
}

function Frame() {
  const frame = useLinks();
  return (
    <div class="frame" ref={frame}>
      <a class="skip" href="#souk-main">
        {t("app.skip")}
      </a>
      <Header />
      <Switch>
        <Route path="/">{() => <TemplatePage type="homepage" />}</Route>
        <Route path="/search">{() => <ListPage />}</Route>
        <Route path="/products">{() => <ListPage />}</Route>
        <Route path="/categories/:id">{({ id }) => <ListPage category={id} />}</Route>
        <Route path="/sellers/:id">{({ id }) => <ListPage seller={id} />}</Route>
        <Route path="/products/:address">
          {({ address }) => <ProductPage key={address} address={address} />}
        </Route>
        <Route path="/static_pages/:slug">
          {({ slug }) => <ContentPage key={slug} slug={slug} />}
        </Route>
        <Route path="/cart" component={CartPage} />
        <Route path="/checkout" component={CheckoutPage} />
        <Route path="/orders/:id">{({ id }) => <OrderPage key={id} id={id} />}</Route>
        <Route path="/profile" component={ProfilePage} />
        <Route path="/new-password" component={NewPasswordPage} />
        <Route component={NotFound} />
      </Switch>
      <Footer />
      <Notice />
      <Consent />
    </div>
  );
}
