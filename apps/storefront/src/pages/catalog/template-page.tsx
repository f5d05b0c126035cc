import type { PageType } from "@souk/client";
import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Waiting } from "../../shop/messages";
import { useImpressions } from "../../shop/promotion";
import { useShop } from "../../shop/shop";
import { useAnswer } from "../../shop/use-answer";
import { useHead } from "../../shop/use-head";
import { findElement, type HtmlElement, type HtmlNode, showHtml } from "../../ui/html";
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
  const { souk, marketplace, language, parseHtml } = useShop();
  const place = useRef<HTMLDivElement>(null);
  const page = useAnswer(
    "page",
    (signal) =>
      souk.templates.page(
        type,
        { marketplace_id: marketplace.id, product_id: product, language },
        { signal },
      ),
    [type, product, language],
  );
  // The API has checked the HTML: its texts are escaped, and it contains no scripts.
  const parts = useMemo(
    () => page.value && withFormPlace(mainOf(parseHtml(page.value.html))),
    [page.value, parseHtml],
  );
  // Both parts are shown at once, so that nothing moves.
  const isReady = type !== "product" || purchase !== undefined;

  useHead(
    page.value && { title: page.value.head.title, head: page.value.head, css: page.value.css },
  );
  useLayoutEffect(() => page.value && styleSheet(page.value.css), [page.value]);
  useImpressions(place, [page.value, isReady]);
  if (!parts || !isReady) return <Waiting {...page} />;
  return (
    <div ref={place} class="template">
      {showHtml(parts, (element) => (isFormPlace(element) ? (purchase ?? null) : undefined))}
    </div>
  );
}

const isMain = ({ attributes }: HtmlElement) => attributes.id === "souk-main";

/** Removes everything around the main part, header and footer, except a column beside it. */
function mainOf(nodes: HtmlNode[]): HtmlNode[] {
  if (!findElement(nodes, isMain)) return nodes;
  return nodes.flatMap((node): HtmlNode[] => {
    if (typeof node === "string") return [];
    if (isMain(node) || node.tag === "aside") return [node];
    return findElement([node], isMain) ? [{ ...node, children: mainOf(node.children) }] : [];
  });
}

/** Whether it is the place of the purchase form: the form of the template, or the place added without one. */
const isFormPlace = ({ tag, attributes }: HtmlElement) =>
  tag === "form" && attributes.action === "/checkout";

const FORM_PLACE: HtmlElement = { tag: "form", attributes: { action: "/checkout" }, children: [] };

/** Adds the place of the purchase form at the end of the main part if the template has none. */
function withFormPlace(nodes: HtmlNode[]): HtmlNode[] {
  if (findElement(nodes, isFormPlace)) return nodes;
  const main = findElement(nodes, isMain);
  if (!main) return [...nodes, FORM_PLACE];
  main.children.push(FORM_PLACE);
  return nodes;
}
