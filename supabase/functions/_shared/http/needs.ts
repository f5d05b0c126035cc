import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Env } from "./env.ts";

/** What a route asks of what every request passes. A route that says nothing has none of it. */
export interface Needs {
  /** It creates or charges something: with an `Idempotency-Key` it is carried out once. See perform.ts. */
  once?: boolean;
  /** Fields of its body whose values no answer tells, not even to whoever sent them, here or at another address. */
  secretFields?: readonly string[];
  /** It reads its body as it comes and takes its time: limits of size and time, and the reading of JSON, are its own. */
  streams?: boolean;
  /** Its body has blocks and rich texts, whose levels are counted by themselves. See depth.ts. */
  holdsRichText?: boolean;
  /** Its body has a template, whose blocks and expressions are counted by themselves. See depth.ts. */
  holdsTemplate?: boolean;
  /** It answers requests without a token too. They are counted by their address. */
  anonymous?: boolean;
  /** It judges the texts of its body itself, where one that cannot be kept must not refuse the others. */
  judgesItsTexts?: boolean;
}

const declared = new WeakMap<object, Needs>();
const secretFields = new Set<string>();

/** A middleware by which those before it know what the route needs. */
export function declareNeeds(needs: Needs): MiddlewareHandler<Env> {
  const declaration: MiddlewareHandler<Env> = (_, next) => next();
  declared.set(declaration, needs);
  for (const field of needs.secretFields ?? []) secretFields.add(field);
  return declaration;
}

/** What the route that answers a request needs: of those that match it, the first. Those after it are not reached. */
export function needsOf(c: Context): Needs {
  const answering = matchedRoutes(c).find(({ handler }) => declared.has(handler));
  return (answering && declared.get(answering.handler)) ?? {};
}

/** Whether the value of a body's field may not be told. */
export const isSecret = (field: string): boolean => secretFields.has(field);
