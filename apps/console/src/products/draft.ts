import type { NewProduct, Product, ProductChanges } from "@souk/client";
import { numberFrom, typedNumber } from "../lib/numbers";

export interface DraftPicture {
  /** The id in the media library; undefined for a picture elsewhere. */
  asset_id?: string;
  url: string;
  alt: string;
}

export interface DraftVariant {
  /** The variant's id, or a temporary key for a new variant. */
  key: string;
  id?: string;
  name: string;
  sku: string;
  price: string;
  quantity: string;
}

/** A product in the form, with numbers as typed. */
export interface Draft {
  name: string;
  description: string;
  price: string;
  category_id: string;
  status: "draft" | "active" | "inactive";
  pictures: DraftPicture[];
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
  description: "",
  price: "",
  category_id: "",
  status: "active",
  pictures: [],
  attributes: {},
  variants: [],
  quantity: "",
  marketplace_id: "",
  supplier_id: "",
};

export function draftOf(product: Product): Draft {
  const { status } = product;
  return {
    name: product.name,
    description: product.description,
    price: typedNumber(product.price),
    category_id: product.category_id ?? "",
    // A sold-out product is a listed one.
    status: status === "draft" || status === "inactive" ? status : "active",
    pictures: product.images.map(({ asset_id, url, alt }) => ({ asset_id, url, alt })),
    attributes: Object.fromEntries(product.attributes.map(({ name, value }) => [name, value])),
    variants: product.variants.map(({ id, name, sku, price, inventory }) => ({
      key: id,
      id,
      name,
      sku: sku ?? "",
      price: price === product.price ? "" : typedNumber(price),
      quantity: typedNumber(inventory.quantity),
    })),
    quantity: "",
    marketplace_id: product.marketplace_id,
    supplier_id: product.supplier_id ?? "",
  };
}

/** The attributes with a value, in the order in which they are sent. */
export const attributesOf = ({ attributes }: Draft) =>
  Object.entries(attributes)
    .filter(([, value]) => value.trim() !== "")
    .map(([name, value]) => ({ name, value }));

/** The fields that a new and a changed product share. The form has validated the numbers. */
const fieldsOf = (draft: Draft) => ({
  name: draft.name,
  description: draft.description,
  price: numberFrom(draft.price) ?? 0,
  category_id: draft.category_id || null,
  images: draft.pictures.map(({ asset_id, url, alt }) =>
    asset_id ? { asset_id, alt } : { url, alt },
  ),
  attributes: attributesOf(draft),
});

const optionalNumber = (text: string): number | null => numberFrom(text) ?? null;

export function newProductOf(draft: Draft): NewProduct {
  return {
    ...fieldsOf(draft),
    status: draft.status === "draft" ? "draft" : "active",
    ...(draft.marketplace_id && { marketplace_id: draft.marketplace_id }),
    ...(draft.supplier_id && { supplier_id: draft.supplier_id }),
    ...(draft.variants.length === 0
      ? { inventory: { quantity: numberFrom(draft.quantity) ?? 0 } }
      : {
          variants: draft.variants.map(({ name, sku, price, quantity }) => ({
            name,
            sku: sku || null,
            price: optionalNumber(price),
            inventory: { quantity: numberFrom(quantity) ?? 0 },
          })),
        }),
  };
}

/** The changes to a product. They are refused if somebody else has changed it since it was read. */
export function changesOf(draft: Draft, product: Product): ProductChanges {
  const wasListed = product.status === "active" || product.status === "out_of_stock";
  return {
    ...fieldsOf(draft),
    // The status out_of_stock cannot be set by hand.
    ...((draft.status === "active") !== wasListed && { status: draft.status }),
    variants: draft.variants.map(({ id, name, sku, price, quantity }) => ({
      ...(id ? { id } : { inventory: { quantity: numberFrom(quantity) ?? 0 } }),
      name,
      sku: sku || null,
      price: optionalNumber(price),
    })),
    updated_at: product.updated_at,
  };
}
