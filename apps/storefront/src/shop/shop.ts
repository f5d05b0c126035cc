import type { SoukClient, Storefront } from "@souk/client";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Language } from "../ui/texts";
import type { CartStore } from "./cart/cart";
import type { User } from "./session";

/** The context of every page. */
export interface Shop {
  souk: SoukClient;
  marketplace: Storefront;
  cart: CartStore;
  user: User;
  language: Language;
  chooseLanguage(language: Language): void;
}

export const ShopContext = createContext<Shop | null>(null);

export function useShop(): Shop {
  const shop = useContext(ShopContext);
  if (!shop) throw new Error("no shop is provided here");
  return shop;
}
