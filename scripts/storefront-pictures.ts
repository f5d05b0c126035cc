// Takes the pictures of docs/storefront.md.
import { DESKTOP, makePictures, PHONE, storePicture, visit } from "./pictures.js";

await makePictures(async ({ stack, open }) => {
  const at = (path: string) => `${stack.storefrontUrl}${path}`;
  const desktop = await open(DESKTOP, { "souk.consent": "no" });
  await visit(desktop, at("/"));
  await storePicture(desktop, "storefront-home");
  await visit(desktop, at("/products/d0000000-0000-4000-8000-000000000011"));
  await storePicture(desktop, "storefront-product");
  const phone = await open(PHONE, { "souk.consent": "no" });
  await visit(phone, at("/search?language=ar"));
  await storePicture(phone, "storefront-arabic");
});
