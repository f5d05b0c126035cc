import type { CallOptions } from "./http.js";
import type { Content } from "./openapi.generated.js";
import type { AnswerOf, BodyOf, Operations } from "./operations.js";

/**
 * The fields of a tenant's own types of content, for whoever wants them typed:
 *
 * ```ts
 * declare module "@souk/client" {
 *   interface ContentFields { recipes: { minutes: number } }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: whoever has types of its own fills it.
export interface ContentFields {}

type FieldsOf<Type> = Type extends keyof ContentFields
  ? ContentFields[Type]
  : Record<string, unknown>;

/** A record, or what holds some, with the fields of its type. */
type Typed<Answer, Type> = Answer extends Content
  ? Omit<Answer, "fields"> & { fields: FieldsOf<Type> }
  : Answer extends { content: Content[] }
    ? Omit<Answer, "content"> & { content: Typed<Content, Type>[] }
    : Answer extends Promise<infer Resolved>
      ? Promise<Typed<Resolved, Type>>
      : Answer extends AsyncIterable<infer Each>
        ? AsyncIterable<Typed<Each, Type>>
        : Answer;

/** A call for one type of content: without its first argument. */
type OfType<Call, Type> = Call extends (type: string, ...args: infer Args) => infer Answer
  ? (...args: Args) => Typed<Answer, Type>
  : never;

const piece = "/api/content/{type}/{id}";

const callsOf = ({ list, listAll, create, read, send, act }: Operations) => {
  const version = read(`${piece}/versions/{version}`);
  // A call takes a query or a body: this one has its query in the path.
  const updateBranch = send("put", `${piece}?branch={branch}` as typeof piece) as unknown as (
    type: string,
    id: string,
    branch: string,
    changes: BodyOf<"put", typeof piece>,
    options?: CallOptions,
  ) => Promise<AnswerOf<"put", typeof piece>>;
  return {
    /** A page of the content of a type, the newest first: drafts for whoever may see them. */
    list: list("/api/content/{type}"),
    /** Every piece of a list, oldest first unless asked otherwise. */
    listAll: listAll("/api/content/{type}", "content"),
    /** Begins a draft. Errors: CONFLICT, when its slug is taken. */
    create: create("/api/content/{type}"),
    /** By id, slug, or the id of the product or category that it describes. Errors: NOT_FOUND. */
    get: list(piece),
    /**
     * Saves what is sent on top of `version_number`, merged with what others have saved since. Errors: CONFLICT, whose
     * `conflicts` tell what both changed.
     */
    update: send("put", piece),
    /** Saves another branch than main, as `update` does. Errors: NOT_FOUND, CONFLICT. */
    updateBranch,
    /** Deletes a draft; what was published once is archived. Errors: NOT_FOUND. */
    remove: act("delete", piece),
    /** Asks for a review. Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    submit: send("post", `${piece}/submit`),
    /** Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    approve: send("post", `${piece}/approve`),
    /** Sends what is reviewed back to the draft. Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    reject: send("post", `${piece}/reject`),
    /** Now or `at` a time, `until` another one, some `languages` alone. Errors: INVALID_TRANSITION (422). */
    publish: send("post", `${piece}/publish`),
    /** Takes it from its readers. Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    unpublish: send("post", `${piece}/unpublish`),
    /** Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    archive: send("post", `${piece}/archive`),
    /** Makes what is archived a draft again. Errors: INVALID_TRANSITION (422), FORBIDDEN. */
    restore: send("post", `${piece}/restore`),
    /** Gives up a publication to come, and its end. */
    cancelSchedule: act("delete", `${piece}/schedule`),
    /** A page of its moves between states, newest first. */
    moves: list(`${piece}/moves`),
    /** Every move, the first one first. */
    movesAll: listAll(`${piece}/moves`, "moves"),
    /** A page of its versions, newest first. */
    versions: list(`${piece}/versions`),
    /** Every version that is kept, the first one first. */
    versionsAll: listAll(`${piece}/versions`, "versions"),
    /** A version with its document. Errors: NOT_FOUND. */
    version: (type: string, id: string, number: number, options?: CallOptions) =>
      version(type, id, String(number), options),
    /** What is different between two versions, `from` and `to`. */
    compare: list(`${piece}/compare`),
    /** A new version of what an earlier one was. */
    rollback: send("post", `${piece}/rollback`),
    /** Its branches, main first. */
    branches: read(`${piece}/branches`),
    /** Begins a branch. Errors: CONFLICT, when the name is taken. */
    createBranch: create(`${piece}/branches`),
    /** Gives up a branch. Errors: CONFLICT for main. */
    removeBranch: act("delete", `${piece}/branches/{name}`),
    /** Merges one branch into another. Errors: CONFLICT, whose `conflicts` tell what both changed. */
    merge: send("post", `${piece}/merge`),
    /** A translation. Errors: NOT_FOUND. */
    localization: read(`${piece}/localizations/{language}`),
    /** Saves a translation, as `update` does. */
    setLocalization: send("put", `${piece}/localizations/{language}`),
    /** Moves a translation: draft, in_progress, review, approved, published. */
    moveLocalization: send("patch", `${piece}/localizations/{language}/status`),
    /** A token by which somebody looks at the draft for a day, and where. */
    preview: send("post", `${piece}/preview`),
    /** Ends all previews. */
    endPreviews: act("delete", `${piece}/preview`),
  };
};

/** The content of one type. */
export type ContentOf<Type extends string = string> = {
  [Name in keyof ReturnType<typeof callsOf>]: OfType<ReturnType<typeof callsOf>[Name], Type>;
};

/** What is written about products and categories, static pages, and types of the tenant's own. */
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
  /** All types, the built-in ones first. */
  list: read("/api/content-types"),
  /** For admins. Errors: CONFLICT, when the key is taken. */
  create: create("/api/content-types"),
  /** Errors: NOT_FOUND. */
  get: read("/api/content-types/{key}"),
  /** For admins. Errors: NOT_FOUND. */
  update: send("put", "/api/content-types/{key}"),
  /** For admins. Errors: CONFLICT, while there is content of it; NOT_FOUND. */
  remove: act("delete", "/api/content-types/{key}"),
  /** Who makes which move. Errors: NOT_FOUND. */
  workflow: read("/api/content-types/{key}/workflow"),
  /** For admins. Errors: NOT_FOUND. */
  setWorkflow: send("put", "/api/content-types/{key}/workflow"),
});

/** What a tenant writes about. */
export interface ContentTypes extends ReturnType<typeof contentTypesOf> {}
