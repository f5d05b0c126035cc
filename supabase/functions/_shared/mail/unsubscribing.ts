import { databaseAsService } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { unsubscribeParam } from "./schema.ts";
import { type Unsubscription, unsubscribePage } from "./unsubscribe_page.ts";

/** Routes below /mails for the links of mails, and for mail programs that unsubscribe with one click. */
export const unsubscribing = createRoutes();

// Only mail programs and browsers call these, so that they are not in the API document.
const shared = { hide: true, anonymous: true, security: [], request: { params: unsubscribeParam } };

/** A page with a button. Opening it changes nothing. Errors: NOT_FOUND. */
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

/** Unsubscribes at once. A browser gets the page with a confirmation. Errors: NOT_FOUND. */
unsubscribing.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/unsubscribe/{token}",
    operationId: "mails.unsubscribe",
    // RFC 8058 defines the body, which is not needed and not read.
    streams: true,
    responses: { 200: { description: "The address is unsubscribed" } },
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
  confirmed: boolean,
  signal: AbortSignal,
): Promise<Unsubscription> {
  const { data } = await databaseAsService(signal)
    .rpc("unsubscribe", { token, confirmed })
    .throwOnError();
  return data;
}
