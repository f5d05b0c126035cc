import type { Facts, Product } from "./catalogue.js";

export type Kind =
  | "word"
  | "several words"
  | "synonym"
  | "typo"
  | "prefix"
  | "attributes"
  | "category"
  | "paraphrase"
  | "association"
  | "stop word"
  | "no blanks"
  | "invisible"
  | "units"
  | "arabic"
  | "signs";

export const kinds: Record<Kind, string> = {
  word: "one word that most sellers use",
  "several words": "the usual name, beside things that share one of its words",
  synonym: "one of several names: those of the other sellers are wanted as well",
  typo: "a slip of the hand in a usual name",
  prefix: "as far as somebody has typed",
  attributes: "a thing with a colour, a material, a size or an ability",
  category: "what many families serve for",
  paraphrase: "in other words than the names and attributes of what is wanted",
  association: "what stands in descriptions beside what is wanted, and not in most of its names",
  "stop word": "a word that says nothing elsewhere, and here tells products apart",
  "no blanks": "a part of a long name, or of one that is written without blanks",
  invisible: "characters that nobody sees",
  units: "hyphens, and numbers with units, written in another way than the seller does",
  arabic: "letters of Arabic script in another form than the seller's",
  signs: "names that end in signs",
};

/** Required facts: each must have one of the given values. */
export type Condition = {
  [Name in Exclude<keyof Facts, "features">]?: string | readonly string[];
} & { feature?: string };

/** The first condition that holds gives the grade; without one it is 0. */
export type Rule = readonly (readonly [grade: 1 | 2 | 3, condition: Condition])[];

export interface Query {
  text: string;
  kind: Kind;
  rule: Rule;
}

/** Returns the grade of a product, based only on its facts. */
export function grade(rule: Rule, { facts }: Product): number {
  const holds = ({ feature, ...others }: Condition) =>
    (feature === undefined || (facts.features as string[]).includes(feature)) &&
    Object.entries(others).every(([name, value]) =>
      [value].flat().includes(facts[name as keyof Facts] as string),
    );
  return rule.find(([, condition]) => holds(condition))?.[0] ?? 0;
}

/** Products of the family get grade 3; those of related families get 1. */
export function wanted(
  kind: Kind,
  text: string,
  family: string | readonly string[],
  near?: string | readonly string[],
): Query {
  return { text, kind, rule: [[3, { family }], ...(near ? [[1, { family: near }] as const] : [])] };
}

/** All conditions met: grade 3; all but one: 2; only the family: 1. */
export function described(text: string, family: string, ...asked: Condition[]): Query {
  const all = { family, ...Object.assign({}, ...asked) } as Condition;
  const nearly =
    asked.length < 2
      ? []
      : asked.map((left) => {
          const others = asked.filter((one) => one !== left);
          return [2, { family, ...Object.assign({}, ...others) } as Condition] as const;
        });
  return { text, kind: "attributes", rule: [[3, all], ...nearly, [1, { family }]] };
}
