// Takes the pictures of docs/storefront.md.
import { DESKTOP, keep, PHONE, takePictures, visit } from "./pictures.js";

await takePictures(async ({ stack, open }) => {
  const at = (path: string) => `${stack.storefrontUrl}${path}`;
  const desktop = await open(DESKTOP, { "souk.consent": "no" });
  await visit(desktop, at("/"));
  await keep(desktop, "storefront-home");
  await visit(desktop, at("/products/d0000000-0000-4000-8000-000000000011"));
  await keep(desktop, "storefront-product");
  const phone = await open(PHONE, { "souk.consent": "no" });
  await visit(phone, at("/search?language=ar"));
  await keep(phone, "storefront-arabic");
});
