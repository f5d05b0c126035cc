import { readFileSync } from "node:fs";
import {
  type Colour,
  colours,
  type Feature,
  features,
  type Material,
  materials,
  palettes,
} from "./words.js";

// Kinds of things that shops sell, as families.txt tells them: below each department (`# Name: place`) its families,
// between empty lines. A family has three lines, and then what sellers write of it:
//
//   key: the names that sellers have for it
//   the category below its department's | what it is for | place where it is used | for whom | price to price | so many of them
//   materials, or - | colours, or a palette | sizes | features
//
// What it is for may be left out, as well as the place that is its department's, for adults, 15 of them, and features.

const USES = [
  ...["sitting", "sleeping", "storing", "eating", "cooking", "drinking", "light", "warmth"],
  ...["shade", "growing", "building", "riding", "playing", "carrying", "wearing", "cleaning"],
  ...["covering", "cutting"],
] as const;
const PLACES = ["house", "garden", "outdoors", "workshop"] as const;
const AUDIENCES = ["adults", "children", "babies"] as const;

/** What a product is for, where, and for whom, when it is not for grown people at home. */
export type Use = (typeof USES)[number];
export type Place = (typeof PLACES)[number];
export type Audience = (typeof AUDIENCES)[number];

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

const listOf = (text = "") => text.split(", ");

/** The one of these words that a text is; throws where it is none. */
function oneOf<Word extends string>(text: string | undefined, words: readonly Word[]): Word {
  const word = words.find((word) => word === text);
  if (word === undefined) throw new Error(`families.txt says "${text}", which is none of ${words}`);
  return word;
}

const keysOf = <Word extends string>(of: Record<Word, unknown>) => Object.keys(of) as Word[];

function readFamily(lines: string): Family {
  const [names = "", facts = "", looks = "", ...says] = lines.split("\n");
  const [key = "", called] = names.split(": ");
  const [under = "", ...more] = facts.split(" | ");
  const [made, coloured = "", sizes, featured] = looks.split(" | ");
  const family: Family = {
    key,
    called: listOf(called),
    under,
    materials: made === "-" ? [] : listOf(made).map((one) => oneOf(one, keysOf(materials))),
    colours:
      coloured in palettes
        ? palettes[coloured as keyof typeof palettes]
        : listOf(coloured).map((one) => oneOf(one, keysOf(colours))),
    sizes: listOf(sizes),
    ...(featured && { features: listOf(featured).map((one) => oneOf(one, keysOf(features))) }),
    price: [0, 0],
    says,
  };
  for (const fact of more) {
    const [first, second, third] = fact.split(" ");
    if (second === "to") family.price = [Number(first), Number(third)];
    else if (second === "of") family.many = Number(first);
    else if (first === "place") family.place = oneOf(second, PLACES);
    else if (first === "for") family.audience = oneOf(second, AUDIENCES);
    else family.use = oneOf(first, USES);
  }
  return family;
}

function readDepartment(text: string): Department {
  const [head = "", ...families] = text.trim().split("\n\n");
  const [name = "", place] = head.split(": ");
  return { name, place: oneOf(place, PLACES), families: families.map(readFamily) };
}

export const departments: readonly Department[] = readFileSync(
  new URL("families.txt", import.meta.url),
  "utf8",
)
  .split(/^# /m)
  .slice(1)
  .map(readDepartment);
