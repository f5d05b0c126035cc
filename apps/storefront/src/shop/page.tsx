import type { ComponentChildren } from "preact";
import type { PageHead } from "./platform";
import { useShop } from "./shop";
import { useHead } from "./use-head";

/** A page of the shop. Its heading is the title of the document. */
export function Page({
  title,
  status,
  headOf,
  wide = false,
  children,
}: Omit<PageHead, "head"> & {
  wide?: boolean;
  children?: ComponentChildren;
}) {
  const { marketplace } = useShop();
  useHead({ title: `${title} – ${marketplace.name}`, status, headOf });
  return (
    <main class={wide ? "page" : "page narrow"} id="souk-main" tabIndex={-1}>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
