import type { PageType } from "@souk/client";
import type { VNode } from "preact";
import { createPortal } from "preact/compat";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Waiting } from "../app/waiting";
import { useImpressions } from "../lib/promotion";
import { useShop } from "../lib/shop";
import { styleSheet } from "../lib/style-sheet";
import { useAnswer } from "../lib/use-answer";

/**
 * A page as the operator's template, or the built-in one, renders it. The shop has a header of its own, so only the main
 * part is shown. `purchase` takes the place of the template's form to buy.
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
  const { souk, marketplace, language } = useShop();
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

  useEffect(() => {
    if (!page.value) return;
    document.title = page.value.head.title;
    return styleSheet(page.value.css);
  }, [page.value]);

  useLayoutEffect(() => {
    if (!place.current || !page.value) return;
    // It is checked by the API: its texts are escaped, and it has no scripts.
    place.current.innerHTML = page.value.html;
    keepMain(place.current);
    setForm(purchase ? formPlace(place.current) : null);
  }, [page.value, purchase !== undefined]);

  useImpressions(place, [page.value]);
  if (!page.value) return <Waiting {...page} />;
  return (
    <>
      <div ref={place} class="template" />
      {form && purchase && createPortal(purchase, form)}
    </>
  );
}

/** Removes the sections around the main part: header and footer. */
function keepMain(place: Element): void {
  const main = place.querySelector("#souk-main");
  for (const section of [...(main?.parentElement?.children ?? [])]) {
    if (section !== main) section.remove();
  }
}

/** Where to buy: in place of the form that sends to `/checkout`; at the end where the template has none. */
function formPlace(place: Element): Element {
  const own = document.createElement("div");
  const form = place.querySelector('form[action="/checkout"]');
  if (form) form.replaceWith(own);
  else (place.querySelector("#souk-main") ?? place).append(own);
  return own;
}
