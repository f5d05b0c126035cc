import type { Colour, Feature, Material } from "./words.js";

/** The use of a product. Its place and audience are set if it is not for adults in the house. */
export type Use =
  | "sitting"
  | "sleeping"
  | "storing"
  | "eating"
  | "cooking"
  | "drinking"
  | "light"
  | "warmth"
  | "shade"
  | "growing"
  | "building"
  | "riding"
  | "playing"
  | "carrying"
  | "wearing"
  | "cleaning"
  | "covering"
  | "cutting";
export type Place = "house" | "garden" | "outdoors" | "workshop";
export type Audience = "adults" | "children" | "babies";

/** One kind of product, with the names that shops use for it. */
export interface Family {
  key: string;
  /** Every seller uses one of these names. */
  called: readonly string[];
  /** The category below that of its department. */
  under: string;
  use?: Use;
  /** Default: that of its department. */
  place?: Place;
  audience?: Audience;
  /** Empty if the material does not matter. */
  materials: readonly Material[];
  colours: readonly Colour[];
  sizes: readonly string[];
  features?: readonly Feature[];
  /** From and to. */
  price: readonly [number, number];
  /** The sentences that sellers write about it; each seller uses some. */
  says: readonly string[];
  /** The number of products. Default: 15. */
  many?: number;
}

export interface Department {
  name: string;
  place: Place;
  families: readonly Family[];
}
