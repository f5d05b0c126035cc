import type { PageType } from "@souk/client";
import { render, type VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Waiting } from "../../shop/messages";
import { useImpressions } from "../../shop/promotion";
import { ShopContext, useShop } from "../../shop/shop";
import { useAnswer } from "../../shop/use-answer";
import { styleSheet } from "../../ui/style-sheet";

/**
 * A page rendered from the operator's or the built-in template. The shop has its own header, so only the main part is
 * shown. `purchase` replaces the template's purchase form.
 */
export function TemplatePage({
  type,
  product,
  purchase,
}: {
  type: PageType;
  product?: string;
  purchase?: VNode;
}) {
  const shop = useShop();
  const { souk, marketplace, language } = shop;
  const place = useRef<HTMLDivElement>(null);
  const [form, setForm] = useState<Element | null>(null);
  const page = useAnswer(
    (signal) =>
      souk.templates.page(
        type,
        { marketplace_id: marketplace.id, product_id: product, language },
        { signal },
      ),
    [type, product, language],
  );

  // Both parts are shown at once, so that nothing moves.
  const isReady = type !== "product" || purchase !== undefined;

  useLayoutEffect(() => {
    if (!page.value) return;
    document.title = page.value.head.title;
    return styleSheet(page.value.css);
  }, [page.value]);

  useLayoutEffect(() => {
    if (!place.current || !page.value) return;
    // The API has checked the HTML: its texts are escaped, and it contains no scripts.
    place.current.innerHTML = page.value.html;
    keepMain(place.current);
    setForm(type === "product" ? formPlace(place.current) : null);
  }, [page.value, isReady]);

  // The place is outside our React tree, so it gets its own root.
  useLayoutEffect(() => {
    if (!form || !purchase) return;
    render(<ShopContext.Provider value={shop}>{purchase}</ShopContext.Provider>, form);
  });
  useEffect(() => () => void (form && render(null, form)), [form]);

  useImpressions(place, [page.value, isReady]);
  if (!page.value || !isReady) return <Waiting {...page} />;
  return <div ref={place} class="template" />;
}

/** Removes everything around the main part, header and footer, except a column beside it. */
function keepMain(place: Element): void {
  let inside = place.querySelector("#souk-main");
  for (; inside && inside !== place; inside = inside.parentElement) {
    for (const beside of [...(inside.parentElement?.children ?? [])]) {
      if (beside !== inside && beside.tagName !== "ASIDE") beside.remove();
    }
  }
}

/** The place of the purchase form: that of the form that posts to `/checkout`, or the end if the template has none. */
function formPlace(place: Element): Element {
  const own = document.createElement("div");
  const form = place.querySelector('form[action="/checkout"]');
  if (form) form.replaceWith(own);
  else (place.querySelector("#souk-main") ?? place).append(own);
  return own;
}
