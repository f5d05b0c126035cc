import type { Colour, Feature, Material } from "./words.js";

/** What a product is for, where, and for whom, when it is not for grown people at home. */
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

/** One kind of thing that shops sell, under the names that they have for it. */
export interface Family {
  key: string;
  /** Every seller keeps to one of these names. */
  called: readonly string[];
  /** The category below its department's. */
  under: string;
  use?: Use;
  /** Its department's, if left out. */
  place?: Place;
  audience?: Audience;
  /** Empty where nobody asks what it is made of. */
  materials: readonly Material[];
  colours: readonly Colour[];
  sizes: readonly string[];
  features?: readonly Feature[];
  /** From and to. */
  price: readonly [number, number];
  /** What sellers write of it; each takes some. */
  says: readonly string[];
  /** How many there are; 15 if left out. */
  many?: number;
}

export interface Department {
  name: string;
  place: Place;
  families: readonly Family[];
}
