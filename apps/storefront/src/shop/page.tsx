import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useShop } from "./shop";

/** A page of the shop. Its heading is the title of the document. */
export function Page({
  title,
  wide = false,
  children,
}: {
  title: string;
  wide?: boolean;
  children?: ComponentChildren;
}) {
  const { marketplace } = useShop();
  useEffect(() => {
    document.title = `${title} – ${marketplace.name}`;
  }, [title, marketplace.name]);
  return (
    <main class={wide ? "page" : "page narrow"} id="souk-main" tabIndex={-1}>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
