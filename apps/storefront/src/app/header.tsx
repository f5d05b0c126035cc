import { SearchBox } from "../pages/catalog/search-box";
import { cartCount } from "../shop/cart/cart";
import { useShop } from "../shop/shop";
import { useStore } from "../ui/store";
import { t } from "../ui/texts";
import { CategoryMenu } from "./category-menu";

export function Header() {
  const { marketplace, cart, user } = useShop();
  const count = cartCount(useStore(cart));
  const { logo_url } = marketplace.branding;
  return (
    <header class="header">
      <div class="bar">
        <a class="brand" href="/">
          {logo_url && <img src={logo_url} alt="" width={32} height={32} />}
          <span>{marketplace.name}</span>
        </a>
        <CategoryMenu />
        <SearchBox />
        <nav class="menu" aria-label={t("app.menu")}>
          <a href="/profile">{user.hasAccount ? t("account.title") : t("account.signIn")}</a>
          <a href="/cart">{t("cart.link", { count })}</a>
        </nav>
      </div>
    </header>
  );
}
