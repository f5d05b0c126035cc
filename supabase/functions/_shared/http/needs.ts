import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Env } from "./env.ts";

/** The options of a route for the middleware. The default of each is off. */
export interface Needs {
  /** The route creates or charges something: with an `Idempotency-Key` it is carried out once. See perform.ts. */
  once?: boolean;
  /** Fields of the body whose values no response repeats, on any route. */
  secretFields?: readonly string[];
  /** The route streams its body: it sets its own limits of size and time and parses the body itself. */
  streams?: boolean;
  /** The body has blocks and rich texts, whose levels are counted separately. See values/depth.ts. */
  holdsRichText?: boolean;
  /** The body has a template, whose blocks and expressions are counted separately. See values/depth.ts. */
  holdsTemplate?: boolean;
  /** The route also accepts requests without a token. They are counted by IP address. */
  anonymous?: boolean;
  /** The route is open to visitors, who name a marketplace. See visits.ts. */
  visitors?: boolean;
  /** The route needs no token, and counts with the reads of visitors, who begin with it. */
  beginsVisits?: boolean;
  /** The name of the operation, which the audit log has. */
  operationId?: string;
  /** The route checks the texts of its body itself, because one bad text must not refuse the others. */
  judgesItsTexts?: boolean;
}

const declared = new WeakMap<object, Needs>();
const secretFields = new Set<string>();

/** A middleware that only declares the route's needs for the middleware before it. */
export function declareNeeds(needs: Needs): MiddlewareHandler<Env> {
  const declaration: MiddlewareHandler<Env> = (_, next) => next();
  declared.set(declaration, needs);
  for (const field of needs.secretFields ?? []) secretFields.add(field);
  return declaration;
}

/** The needs of the route that handles the request: the first that matches. Later routes are not reached. */
export function needsOf(c: Context): Needs {
  const answering = matchedRoutes(c).find(({ handler }) => declared.has(handler));
  return (answering && declared.get(answering.handler)) ?? {};
}

/** Whether responses must not repeat the value of this body field. */
export const isSecret = (field: string): boolean => secretFields.has(field);
