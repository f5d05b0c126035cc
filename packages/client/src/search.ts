import type { Operations } from "./operations.js";

export const searchOf = ({ list }: Operations) => ({
  /** The products that fit a question best, by its words and its meaning, and how well each does. */
  semantic: list("/api/products/search/semantic"),
});

export const synonymsOf = ({ list, listAll, create, read, send, act }: Operations) => ({
  /** A page of the groups, newest first. */
  list: list("/api/search/synonyms"),
  /** Every group, oldest first unless asked otherwise. */
  listAll: listAll("/api/search/synonyms", "synonyms"),
  /** Makes 2 to 20 terms synonyms. For admins. */
  create: create("/api/search/synonyms"),
  /** Errors: NOT_FOUND. */
  get: read("/api/search/synonyms/{id}"),
  /** Gives a group other terms, as a whole. For admins. Errors: NOT_FOUND. */
  update: send("put", "/api/search/synonyms/{id}"),
  /** For admins. Errors: NOT_FOUND. */
  remove: act("delete", "/api/search/synonyms/{id}"),
});

/** Questions. Lists of products search by words: `products.list`. */
export interface Search extends ReturnType<typeof searchOf> {}
/** Groups of terms that products are found by alike. */
export interface Synonyms extends ReturnType<typeof synonymsOf> {}
