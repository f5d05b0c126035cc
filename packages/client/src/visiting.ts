/**
 * Adds the headers of a visit to the requests of the API and of PostgREST. Auth and Storage refuse them
 * in a browser, because they do not allow their names.
 */
export function visiting(
  marketplace: string,
  visitor: (() => string | null | undefined) | undefined,
  supabaseUrl: string,
  send: typeof fetch,
): typeof fetch {
  const base = supabaseUrl.replace(/\/+$/, "");
  return (input, init) => {
    // Not `instanceof`: servers such as @hono/node-server replace the global Request.
    const request = typeof input === "string" || input instanceof URL ? undefined : input;
    const address = request?.url ?? String(input);
    if (!["/functions/v1/", "/rest/v1/"].some((path) => address.startsWith(base + path))) {
      return send(input, init);
    }
    const headers = new Headers(init?.headers ?? request?.headers);
    headers.set("x-souk-marketplace", marketplace);
    const id = visitor?.();
    if (id) headers.set("x-souk-visitor", id);
    return send(input, { ...init, headers });
  };
}
