import type { Category } from "./categories";

/** The items of a list that link to categories, with those below them in further lists. */
export const CategoryLinks = ({ tree, levels = 1 }: { tree: Category[]; levels?: number }) =>
  tree.map(({ id, name, children }) => (
    <li key={id}>
      <a href={`/categories/${id}`}>
        <bdi>{name}</bdi>
      </a>
      {levels > 1 && children.length > 0 && (
        <ul>
          <CategoryLinks tree={children} levels={levels - 1} />
        </ul>
      )}
    </li>
  ));
