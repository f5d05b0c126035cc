import { databaseAsService } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { unsubscribeParam } from "./schema.ts";
import { unsubscribePage } from "./unsubscribe_page.ts";

/** Below /mails: where a letter's link leads, and where mail programs unsubscribe with one click. */
export const unsubscribing = createRoutes();

/** What a token is of, and what has become of it. */
export interface Unsubscription {
  email: string;
  /** The kind: the key of the letter. */
  template: string;
  unsubscribed: boolean;
  /** The marketplace that writes; null where there is none. */
  sender: string | null;
  /** In which to ask, the best first. */
  languages: string[];
}

// Mail programs and browsers call these, and no client: so the document does not tell of them.
const shared = { hide: true, anonymous: true, security: [], request: { params: unsubscribeParam } };

/** A page with one button. It changes nothing by itself. Errors: NOT_FOUND. */
unsubscribing.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/unsubscribe/{token}",
    operationId: "mails.unsubscribePage",
    responses: { 200: { description: "The page" } },
  }),
  async (c) =>
    unsubscribePage(c, await readToken(c.req.valid("param").token, false, c.get("signal"))),
);

/** Ends letters of a kind at once. A browser that comes from the page is shown it again. Errors: NOT_FOUND. */
unsubscribing.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/unsubscribe/{token}",
    operationId: "mails.unsubscribe",
    // As RFC 8058 has it, whatever the body says: it is not read.
    streams: true,
    responses: { 200: { description: "They are ended" } },
  }),
  async (c) => {
    const found = await readToken(c.req.valid("param").token, true, c.get("signal"));
    if (/html/.test(c.req.header("accept") ?? "")) return unsubscribePage(c, found);
    const { email, template, unsubscribed } = found;
    return c.json({ email, template, unsubscribed }, 200);
  },
);

async function readToken(
  token: string,
  act: boolean,
  signal: AbortSignal,
): Promise<Unsubscription> {
  const { data } = await databaseAsService(signal)
    .rpc("unsubscribe", { token, act })
    .throwOnError();
  return data;
}
