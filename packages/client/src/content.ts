import type { CallOptions } from "./http.js";
import type { Content } from "./openapi.generated.js";
import type { AnswerOf, BodyOf, Operations } from "./operations.js";

/**
 * The fields of a tenant's own content types. A program declares them to have them typed:
 *
 * ```ts
 * declare module "@souk/client" {
 *   interface ContentFields { recipes: { minutes: number } }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: programs with content types of their own extend it.
export interface ContentFields {}

type FieldsOf<Type> = Type extends keyof ContentFields
  ? ContentFields[Type]
  : Record<string, unknown>;

/** A record, or a result that contains records, with the fields of its type. */
type Typed<Answer, Type> = Answer extends Content
  ? Omit<Answer, "fields"> & { fields: FieldsOf<Type> }
  : Answer extends { content: Content[] }
    ? Omit<Answer, "content"> & { content: Typed<Content, Type>[] }
    : Answer extends Promise<infer Resolved>
      ? Promise<Typed<Resolved, Type>>
      : Answer extends AsyncIterable<infer Each>
        ? AsyncIterable<Typed<Each, Type>>
        : Answer;

/** A call for one content type: without its first argument. */
type OfType<Call, Type> = Call extends (type: string, ...args: infer Args) => infer Answer
  ? (...args: Args) => Typed<Answer, Type>
  : never;

const piece = "/api/content/{type}/{id}";

const callsOf = ({ list, listAll, create, read, send, act }: Operations) => {
  const version = read(`${piece}/versions/{version}`);
  // A call takes either a query or a body. This one needs both, so the query is in the path.
  const updateBranch = send("put", `${piece}?branch={branch}` as typeof piece) as unknown as (
    type: string,
    id: string,
    branch: string,
    changes: BodyOf<"put", typeof piece>,
    options?: CallOptions,
  ) => Promise<AnswerOf<"put", typeof piece>>;
  return {
    /** A page of the content of a type, newest first: drafts for callers who may see them. */
    list: list("/api/content/{type}"),
    /** All content of a type, oldest first by default. */
    listAll: listAll("/api/content/{type}", "content"),
    /** Creates a draft. Errors: CONFLICT if its slug is taken. */
    create: create("/api/content/{type}"),
    /** Content by its id, its slug, or the id of the product or category that it describes. Errors: NOT_FOUND. */
    get: list(piece),
    /**
     * Saves the sent parts on top of `version_number`, merged with newer versions. Errors: CONFLICT with `conflicts`, the
     * values that both sides changed differently.
     */
    update: send("put", piece),
    /** Saves to a branch, as `update` does to main. Errors: NOT_FOUND, CONFLICT. */
    updateBranch,
    /** Deletes a draft that was never published, and archives any other content. Errors: NOT_FOUND, FORBIDDEN. */
    remove: act("delete", piece),
    /** Submits a draft for review. Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    submit: send("post", `${piece}/submit`),
    /** Approves content in review. Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    approve: send("post", `${piece}/approve`),
    /** Returns content in review to draft. Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    reject: send("post", `${piece}/reject`),
    /** Publishes now or `at` a time, `until` another time, only some `languages`. Errors: INVALID_TRANSITION (422), CONFLICT. */
    publish: send("post", `${piece}/publish`),
    /** Unpublishes the content, or only some `languages`. Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    unpublish: send("post", `${piece}/unpublish`),
    /** Archives published content. Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    archive: send("post", `${piece}/archive`),
    /** Returns archived content to draft. Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    restore: send("post", `${piece}/restore`),
    /** Cancels the scheduled publication and its end. */
    cancelSchedule: act("delete", `${piece}/schedule`),
    /** A page of the moves, newest first. */
    moves: list(`${piece}/moves`),
    /** All moves, oldest first. */
    movesAll: listAll(`${piece}/moves`, "moves"),
    /** A page of the versions, newest first. */
    versions: list(`${piece}/versions`),
    /** All stored versions, oldest first. */
    versionsAll: listAll(`${piece}/versions`, "versions"),
    /** A version with its document. Errors: NOT_FOUND. */
    version: (type: string, id: string, number: number, options?: CallOptions) =>
      version(type, id, String(number), options),
    /** The differences between two versions, `from` and `to`. */
    compare: list(`${piece}/compare`),
    /** Saves the document of an earlier version as a new version. */
    rollback: send("post", `${piece}/rollback`),
    /** The branches, main first. */
    branches: read(`${piece}/branches`),
    /** Creates a branch. Errors: CONFLICT if the name is taken. */
    createBranch: create(`${piece}/branches`),
    /** Deletes a branch and keeps its versions. Errors: CONFLICT for main. */
    removeBranch: act("delete", `${piece}/branches/{name}`),
    /** Merges one branch into another. Errors: CONFLICT with `conflicts`. */
    merge: send("post", `${piece}/merge`),
    /** A translation. Errors: NOT_FOUND. */
    localization: read(`${piece}/localizations/{language}`),
    /** Saves a translation, as `update` does. */
    setLocalization: send("put", `${piece}/localizations/{language}`),
    /** Moves a translation by one status (draft, in_progress, review, approved, published), or back to draft. */
    moveLocalization: send("patch", `${piece}/localizations/{language}/status`),
    /** Creates a token that reads the draft without a session for 24 hours. */
    preview: send("post", `${piece}/preview`),
    /** Revokes all previews. */
    endPreviews: act("delete", `${piece}/preview`),
  };
};

/** The content of one type. */
export type ContentOf<Type extends string = string> = {
  [Name in keyof ReturnType<typeof callsOf>]: OfType<ReturnType<typeof callsOf>[Name], Type>;
};

/** The content of a type: `content("static_pages")`. */
export type ContentByType = <Type extends string>(type: Type) => ContentOf<Type>;

export function contentOf(operations: Operations): ContentByType {
  const calls = Object.entries(callsOf(operations));
  return (type) =>
    Object.fromEntries(
      calls.map(([name, call]) => [
        name,
        (...args: unknown[]) => (call as (...args: unknown[]) => unknown)(type, ...args),
      ]),
    ) as never;
}

export const contentTypesOf = ({ read, create, send, act }: Operations) => ({
  /** All content types, built-in ones first. */
  list: read("/api/content-types"),
  /** For admins. Errors: CONFLICT if the key is taken. */
  create: create("/api/content-types"),
  /** A content type. Errors: NOT_FOUND. */
  get: read("/api/content-types/{key}"),
  /** For admins. Errors: NOT_FOUND. */
  update: send("put", "/api/content-types/{key}"),
  /** For admins. Errors: CONFLICT if the type still has content; NOT_FOUND. */
  remove: act("delete", "/api/content-types/{key}"),
  /** The steps that say who makes which move. Errors: NOT_FOUND. */
  workflow: read("/api/content-types/{key}/workflow"),
  /** For admins. Errors: NOT_FOUND. */
  setWorkflow: send("put", "/api/content-types/{key}/workflow"),
});

/** The content types of a tenant. */
export interface ContentTypes extends ReturnType<typeof contentTypesOf> {}
