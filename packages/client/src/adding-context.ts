/** What calls say beside their session. */
export interface CallContext {
  marketplace: string | undefined;
  visitor: (() => string | null | undefined) | undefined;
  tenant: (() => string | null | undefined) | undefined;
}

/**
 * Adds the headers of a visit, and of the tenant that a call is meant for, to the requests of the API and of PostgREST.
 * Auth and Storage refuse them in a browser, because they do not allow their names.
 */
export function addingContext(
  { marketplace, visitor, tenant }: CallContext,
  supabaseUrl: string,
  send: typeof fetch,
): typeof fetch {
  if (marketplace === undefined && tenant === undefined) return send;
  const base = supabaseUrl.replace(/\/+$/, "");
  return (input, init) => {
    // Not `instanceof`: servers such as @hono/node-server replace the global Request.
    const request = typeof input === "string" || input instanceof URL ? undefined : input;
    const address = request?.url ?? String(input);
    if (!["/functions/v1/", "/rest/v1/"].some((path) => address.startsWith(base + path))) {
      return send(input, init);
    }
    const headers = new Headers(init?.headers ?? request?.headers);
    const add = (name: string, value: string | null | undefined) =>
      value && headers.set(name, value);
    add("x-souk-marketplace", marketplace);
    add("x-souk-visitor", marketplace && visitor?.());
    add("x-souk-tenant", tenant?.());
    return send(input, { ...init, headers });
  };
}
