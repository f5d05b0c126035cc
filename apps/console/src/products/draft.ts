import type { NewProduct, Product, ProductChanges } from "@souk/client";
import { numberFrom, typedNumber } from "../lib/numbers";

export interface DraftPicture {
  /** Of the media library; undefined for a picture elsewhere. */
  asset_id?: string;
  url: string;
  alt: string;
}

export interface DraftVariant {
  /** The variant's id, or one of the form's own while it has none. */
  key: string;
  id?: string;
  name: string;
  sku: string;
  price: string;
  quantity: string;
}

/** A product as a form has it: numbers as they are typed. */
export interface Draft {
  name: string;
  description: string;
  price: string;
  category_id: string;
  status: "draft" | "active" | "inactive";
  pictures: DraftPicture[];
  /** The values of attributes, by their names. */
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
    // What is sold out is listed all the same.
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

/** The attributes that have a value, in the sequence in which they are sent. */
export const attributesOf = ({ attributes }: Draft) =>
  Object.entries(attributes)
    .filter(([, value]) => value.trim() !== "")
    .map(([name, value]) => ({ name, value }));

/** What a new product and a changed one have in common. The form has checked the numbers. */
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

/** The changes to a product. It is left alone if somebody else has changed it since it was read. */
export function changesOf(draft: Draft, product: Product): ProductChanges {
  const wasListed = product.status === "active" || product.status === "out_of_stock";
  return {
    ...fieldsOf(draft),
    // A product that is sold out has a status that nobody sets by hand.
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
