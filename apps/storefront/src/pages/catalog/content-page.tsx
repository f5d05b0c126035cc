import type { ListedProduct } from "@souk/client";
import { NotFound, Waiting } from "../../shop/messages";
import { Page } from "../../shop/page";
import { useShop } from "../../shop/shop";
import { useAnswer } from "../../shop/use-answer";
import { isMissing } from "../../ui/errors";
import { ProductGrid } from "./product-grid";

/** A content page of the shop: its text, and the block types that this shop can show. */
export function ContentPage({ slug }: { slug: string }) {
  const { souk, language } = useShop();
  const page = useAnswer(
    "content page",
    (signal) =>
      souk
        .content("static_pages")
        .get(slug, { language, format: "html", resolve: true }, { signal }),
    [slug, language],
  );
  if (isMissing(page.error)) return <NotFound />;
  if (!page.value) return <Waiting {...page} />;
  const { title, content, blocks } = page.value;
  return (
    <Page title={String(title)}>
      {typeof content === "string" && (
        <div class="text" dangerouslySetInnerHTML={{ __html: content }} />
      )}
      {blocks.map((block) => (
        <Block key={block.id} {...(block as ShownBlock)} />
      ))}
    </Page>
  );
}

interface ShownBlock {
  type: string;
  content: { title?: string; text?: string; href?: string };
  products?: ListedProduct[];
}

function Block({ type, content, products }: ShownBlock) {
  if (type === "product_grid" && products) return <ProductGrid products={products} />;
  if (type !== "banner" || !content.title) return null;
  return (
    <a class="banner" href={content.href}>
      {content.title}
    </a>
  );
}
