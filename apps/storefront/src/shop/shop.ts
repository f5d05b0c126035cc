import type { SoukClient, Storefront } from "@souk/client";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Language } from "../ui/texts";
import type { Platform } from "./platform";
import type { User } from "./session";

/** The context of every page. */
export interface Shop extends Platform {
  souk: SoukClient;
  marketplace: Storefront;
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
