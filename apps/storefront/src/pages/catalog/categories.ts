import type { CategoryTree, SoukClient } from "@souk/client";

type Category = CategoryTree["categories"][number];

const trees = new WeakMap<SoukClient, Promise<Category[]>>();

/** All categories in one list. They rarely change, so they are read once. */
export function categoriesOf(souk: SoukClient): Promise<Category[]> {
  const known =
    trees.get(souk) ?? souk.categories.list().then((tree) => withBelow(tree.categories));
  trees.set(souk, known);
  known.catch(() => trees.delete(souk));
  return known;
}

const withBelow = (categories: readonly Category[]): Category[] =>
  categories.flatMap((category) => [category, ...withBelow(category.children)]);

/** Maximum number of facets of a list. */
const FACETS = 10;

/** The attributes that can filter a list: those of the category and its subcategories. */
export function facetsFor(categories: readonly Category[], id: string | undefined): string[] {
  const top = categories.filter((category) => id === undefined || category.id === id);
  const names = withBelow(top)
    .flatMap(({ attributes }) => attributes.filter(({ searchable }) => searchable))
    .map(({ name }) => name)
    // The brand has its own filter.
    .filter((name) => name !== "brand");
  return [...new Set(names)].slice(0, FACETS);
}
