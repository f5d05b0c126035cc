import type { CallOptions } from "./http.js";
import { contentMethods } from "./methods.generated.js";
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

const callsOf = (operations: Operations) => {
  const methods = contentMethods(operations);
  // A call takes either a query or a body. This one needs both, so the query is in the path.
  const updateBranch = operations.send(
    "put",
    `${piece}?branch={branch}` as typeof piece,
  ) as unknown as (
    type: string,
    id: string,
    branch: string,
    changes: BodyOf<"put", typeof piece>,
    options?: CallOptions,
  ) => Promise<AnswerOf<"put", typeof piece>>;
  return {
    ...methods,
    /** Saves to a branch, as `update` does to main. Errors: CONFLICT (409); NOT_FOUND (404). */
    updateBranch,
    /** A version with its document. Errors: NOT_FOUND (404). */
    version: (type: string, id: string, number: number, options?: CallOptions) =>
      methods.version(type, id, String(number), options),
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
