import type { NewProduct, Product, ProductChanges } from "@souk/client";
import { changedIn } from "../lib/edits";
import { numberFrom, typedNumber } from "../lib/numbers";

export interface DraftPicture {
  /** The id in the media library; undefined for a picture elsewhere. */
  asset_id?: string;
  url: string;
  alt: string;
}

/** A picture in the list of a form. */
export interface KeyedPicture extends DraftPicture {
  key: string;
}

export const keyed = (picture: DraftPicture): KeyedPicture => ({
  key: picture.asset_id ?? picture.url,
  ...picture,
});

export interface DraftVariant {
  /** The variant's id, or a temporary key for a new variant. */
  key: string;
  id?: string;
  name: string;
  sku: string;
  /** Its own price. Empty if the variant has the product's. */
  price: string;
  /** Empty for none. */
  compare_at_price: string;
  quantity: string;
}

/** A product in the form, with numbers as typed. */
export interface Draft {
  name: string;
  /** Empty for one that is made from the name. */
  slug: string;
  /** Text or HTML. */
  description: string;
  price: string;
  /** Empty for none. */
  compare_at_price: string;
  category_id: string;
  status: "draft" | "active" | "inactive";
  pictures: KeyedPicture[];
  /** The values of attributes by name. */
  attributes: Record<string, string>;
  variants: DraftVariant[];
  /** The stock of a new product. */
  quantity: string;
  marketplace_id: string;
  supplier_id: string;
}

export const emptyDraft: Draft = {
  name: "",
  slug: "",
  description: "",
  price: "",
  compare_at_price: "",
  category_id: "",
  status: "active",
  pictures: [],
  attributes: {},
  variants: [],
  quantity: "",
  marketplace_id: "",
  supplier_id: "",
};

const typedPrice = (price: number | null) => (price === null ? "" : typedNumber(price));

export function draftOf(product: Product): Draft {
  const { status } = product;
  return {
    name: product.name,
    slug: product.slug,
    description: product.description_html ?? product.description,
    price: typedNumber(product.price),
    compare_at_price: typedPrice(product.compare_at_price),
    category_id: product.category_id ?? "",
    // A sold-out product is a listed one.
    status: status === "draft" || status === "inactive" ? status : "active",
    pictures: product.images.map(({ asset_id, url, alt }) => keyed({ asset_id, url, alt })),
    attributes: Object.fromEntries(product.attributes.map(({ name, value }) => [name, value])),
    variants: product.variants.map(({ id, name, sku, own_price, compare_at_price, inventory }) => ({
      key: id,
      id,
      name,
      sku: sku ?? "",
      price: typedPrice(own_price),
      compare_at_price: typedPrice(compare_at_price),
      quantity: typedNumber(inventory.quantity),
    })),
    quantity: "",
    marketplace_id: product.marketplace_id,
    supplier_id: product.supplier_id ?? "",
  };
}

/** The attributes with a value, in the order in which they are sent. */
export const attributesOf = (attributes: Draft["attributes"]) =>
  Object.entries(attributes)
    .filter(([, value]) => value.trim() !== "")
    .map(([name, value]) => ({ name, value }));

const imageOf = ({ asset_id, url, alt }: KeyedPicture) =>
  asset_id ? { asset_id, alt } : { url, alt };

/** The fields to send of the values that were changed. The form has validated the numbers. */
const fieldsOf = (changed: Partial<Draft>) => ({
  ...(changed.name !== undefined && { name: changed.name }),
  ...(changed.slug !== undefined && { slug: changed.slug || null }),
  // The text may be HTML. Without null, the text of the HTML alone would count as unchanged.
  ...(changed.description !== undefined && {
    description: changed.description,
    description_html: null,
  }),
  ...(changed.price !== undefined && { price: numberFrom(changed.price) ?? 0 }),
  ...(changed.compare_at_price !== undefined && {
    compare_at_price: numberFrom(changed.compare_at_price) ?? null,
  }),
  ...(changed.category_id !== undefined && { category_id: changed.category_id || null }),
  ...(changed.pictures && { images: changed.pictures.map(imageOf) }),
  ...(changed.attributes && { attributes: attributesOf(changed.attributes) }),
});

/** The fields to send of the values of a variant that were changed. */
const variantFieldsOf = ({ name, sku, price, compare_at_price }: Partial<DraftVariant>) => ({
  ...(name !== undefined && { name }),
  ...(sku !== undefined && { sku: sku || null }),
  ...(price !== undefined && { own_price: numberFrom(price) ?? null }),
  ...(compare_at_price !== undefined && {
    compare_at_price: numberFrom(compare_at_price) ?? null,
  }),
});

const newVariantOf = (variant: DraftVariant) => ({
  ...variantFieldsOf(variant),
  name: variant.name,
  inventory: { quantity: numberFrom(variant.quantity) ?? 0 },
});

export function newProductOf(draft: Draft): NewProduct {
  return {
    ...fieldsOf(draft),
    name: draft.name,
    price: numberFrom(draft.price) ?? 0,
    status: draft.status === "draft" ? "draft" : "active",
    ...(draft.marketplace_id && { marketplace_id: draft.marketplace_id }),
    ...(draft.supplier_id && { supplier_id: draft.supplier_id }),
    ...(draft.variants.length === 0
      ? { inventory: { quantity: numberFrom(draft.quantity) ?? 0 } }
      : { variants: draft.variants.map(newVariantOf) }),
  };
}

/** The changes to a product. Of a variant that it already has, only the changed fields are sent. */
export function changesOf(changed: Partial<Draft>, read: Product): ProductChanges {
  const before = new Map(draftOf(read).variants.map((variant) => [variant.id, variant]));
  return {
    ...fieldsOf(changed),
    ...(changed.status && { status: changed.status }),
    ...(changed.variants && {
      variants: changed.variants.map((variant) => {
        const was = before.get(variant.id);
        return was
          ? { id: was.id, ...variantFieldsOf(changedIn(was, variant)) }
          : newVariantOf(variant);
      }),
    }),
    updated_at: read.updated_at,
  };
}
