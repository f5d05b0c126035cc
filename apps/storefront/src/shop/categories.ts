import type { CategoryTree, SoukClient } from "@souk/client";

export type Category = CategoryTree["categories"][number];

const trees = new WeakMap<SoukClient, Promise<Category[]>>();

/** The tree of categories. It rarely changes, so it is read once. */
export function categoriesOf(souk: SoukClient): Promise<Category[]> {
  const known = trees.get(souk) ?? souk.categories.list().then(({ categories }) => categories);
  trees.set(souk, known);
  known.catch(() => trees.delete(souk));
  return known;
}

/** Categories and all below them, in one list. */
export const withBelow = (categories: readonly Category[]): Category[] =>
  categories.flatMap((category) => [category, ...withBelow(category.children)]);

/** Maximum number of facets of a list. */
const FACETS = 10;

/** The attributes that can filter the products of categories and those below them. */
export function facetsFor(categories: readonly Category[]): string[] {
  const names = withBelow(categories)
    .flatMap(({ attributes }) => attributes.filter(({ searchable }) => searchable))
    .map(({ name }) => name)
    // The brand has its own filter.
    .filter((name) => name !== "brand");
  return [...new Set(names)].slice(0, FACETS);
}
