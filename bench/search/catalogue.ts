import { baby } from "./vocabulary/baby.js";
import { bicycles } from "./vocabulary/bicycles.js";
import { camping } from "./vocabulary/camping.js";
import { clothing } from "./vocabulary/clothing.js";
import type { Department, Family } from "./vocabulary/family.js";
import { furniture } from "./vocabulary/furniture.js";
import { garden } from "./vocabulary/garden.js";
import { kitchen } from "./vocabulary/kitchen.js";
import { lighting } from "./vocabulary/lighting.js";
import { textiles } from "./vocabulary/textiles.js";
import { tools } from "./vocabulary/tools.js";
import { toys } from "./vocabulary/toys.js";
import {
  brands,
  type Colour,
  colours,
  type Feature,
  features,
  type Material,
  materials,
  series,
} from "./vocabulary/words.js";

export const departments: readonly Department[] = [
  furniture,
  kitchen,
  lighting,
  garden,
  textiles,
  clothing,
  bicycles,
  toys,
  baby,
  tools,
  camping,
];

/** The facts about a product, independent of its seller's words. Only they are used for grades. */
export interface Facts {
  department: string;
  family: string;
  colour: Colour;
  material: Material | null;
  size: string;
  features: Feature[];
  use: string | null;
  place: string;
  audience: string;
}

export interface Product {
  external_id: string;
  facts: Facts;
  name: string;
  description: string;
  price: number;
  /** The department and the category below it. */
  category: [string, string];
  attributes: { name: string; value: string }[];
}

/** Returns a generator of numbers from 0 to below 1, which depend only on the seed. */
function chance(seed: string): () => number {
  let state = 2166136261;
  for (const letter of seed) state = Math.imul(state ^ letter.charCodeAt(0), 16777619) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<T>(from: readonly T[], next: () => number): T {
  return from[Math.floor(next() * from.length)] as T;
}

function shuffled<T>(from: readonly T[], next: () => number): T[] {
  const left = [...from];
  return from.map(() => left.splice(Math.floor(next() * left.length), 1)[0] as T);
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Sentences that sellers add to descriptions of any product. */
const PHRASES = [
  "Sent within two working days.",
  "Two years of guarantee.",
  "Our bestseller for years.",
  "Packed without plastic.",
  "A present that everybody likes.",
  "Spare parts can be had for ten years.",
];

/** Patterns of product names. Each seller uses one, and some omit details. */
const STYLES: ((
  say: Record<"noun" | "colour" | "material" | "size" | "feature", string>,
  of: { brand: string; series: string },
) => string)[] = [
  ({ material, noun, size }) => `${material} ${noun}, ${size}`,
  ({ noun, colour }, { series }) => `${series} ${noun} in ${colour}`,
  ({ colour, material, noun }) => `${colour} ${material} ${noun}`,
  ({ noun }, { brand, series }) => `${brand} ${series} ${noun}`,
  ({ noun, size, colour }, { series }) => `${noun} ${series}, ${size}, ${colour}`,
  ({ feature, noun, material }, { series }) => `${feature} ${material} ${noun} ${series}`,
];

function makeProduct(department: Department, family: Family, index: number): Product {
  const next = chance(`${family.key} ${index}`);
  // Every pair of colour and material is used before one is repeated.
  const pairs = shuffled(
    family.colours.flatMap((colour) =>
      (family.materials.length > 0 ? family.materials : [null]).map(
        (material) => [colour, material] as const,
      ),
    ),
    chance(family.key),
  );
  const [colour, material] = pairs[index % pairs.length] as (typeof pairs)[number];
  const size = pick(family.sizes, next);
  const chosen = shuffled(family.features ?? [], next).slice(
    0,
    next() < 0.6 ? 1 : next() < 0.3 ? 2 : 0,
  );

  const brand = pick(brands, next);
  // Each brand always uses the same words for a thing and a colour.
  const of = (what: string) => chance(`${brand} ${what}`);
  const words = {
    noun: pick(family.called, of(family.key)),
    colour: pick(colours[colour], of(colour)) as string,
    material: material ? (pick(materials[material].called, of(material)) as string) : "",
    size,
    feature: chosen[0] ? (pick(features[chosen[0]].called, next) as string) : "",
  };
  const style = STYLES[brands.indexOf(brand) % STYLES.length] as (typeof STYLES)[number];
  const line = pick(series, next);
  const name = capital(style(words, { brand, series: line }).replace(/\s+/g, " ").trim());

  const sentences = [
    ...shuffled(family.says, next).slice(0, 2),
    ...chosen.map((feature) => pick(features[feature].says, next) as string),
    ...(material && next() < 0.5 ? [materials[material].says] : []),
    ...(next() < 0.3 ? [`Also to be had in other colours than ${words.colour}.`] : []),
    ...(next() < 0.2
      ? [`Goes with any ${pick(pick(department.families, next).called, next)}.`]
      : []),
    ...(next() < 0.3 ? [pick(PHRASES, next)] : []),
  ];
  const [cheapest, dearest] = family.price;
  return {
    external_id: `${family.key}-${index + 1}`,
    facts: {
      department: department.name,
      family: family.key,
      colour,
      material,
      size,
      features: chosen,
      use: family.use ?? null,
      place: family.place ?? department.place,
      audience: family.audience ?? "adults",
    },
    name,
    description: sentences.join(" "),
    price: Math.round((cheapest + next() ** 2 * (dearest - cheapest)) * 100) / 100,
    category: [department.name, family.under],
    attributes: [
      { name: "brand", value: brand },
      { name: "colour", value: words.colour },
      ...(material ? [{ name: "material", value: words.material }] : []),
      { name: "size", value: size },
      {
        name: "article number",
        value: `${brands.indexOf(brand) + 10}.${Math.floor(next() * 90000) + 10000}`,
      },
    ],
  };
}

/**
 * Makes the same products in the same random order at every call. `keys` selects families; `most` is the maximum number
 * of products per family.
 */
export function makeCatalogue({
  keys,
  most = 1000,
}: {
  keys?: ReadonlySet<string>;
  most?: number;
} = {}): Product[] {
  const products = departments.flatMap((department) =>
    department.families
      .filter(({ key }) => !keys || keys.has(key))
      .flatMap((family) =>
        Array.from({ length: Math.min(family.many ?? 15, most) }, (_, index) =>
          makeProduct(department, family, index),
        ),
      ),
  );
  return shuffled(products, chance("sequence"));
}

/** The searchable attributes, which every department's category defines. */
export const SEARCHABLE = ["brand", "colour", "material", "size"];
