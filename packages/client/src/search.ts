import { withJoinedValues } from "./lists.js";
import type { Operations } from "./operations.js";

export const searchOf = ({ list }: Operations) => ({
  /** The products that best match a question, by words and meaning, with their scores. */
  semantic: list("/api/products/search/semantic", withJoinedValues),
});

export const synonymsOf = ({ list, listAll, create, read, send, act }: Operations) => ({
  /** A page of the groups, newest first. */
  list: list("/api/search/synonyms"),
  /** All groups, by default the oldest first. */
  listAll: listAll("/api/search/synonyms", "synonyms"),
  /** Makes 2 to 20 terms synonyms. For admins. */
  create: create("/api/search/synonyms"),
  /** Errors: NOT_FOUND. */
  get: read("/api/search/synonyms/{id}"),
  /** Replaces all terms of a group. For admins. Errors: NOT_FOUND. */
  update: send("put", "/api/search/synonyms/{id}"),
  /** For admins. Errors: NOT_FOUND. */
  remove: act("delete", "/api/search/synonyms/{id}"),
});

/** Search by questions. `products.list` searches by words. */
export interface Search extends ReturnType<typeof searchOf> {}
/** Groups of terms with the same search results. */
export interface Synonyms extends ReturnType<typeof synonymsOf> {}
