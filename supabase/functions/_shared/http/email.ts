import { z } from "@hono/zod-openapi";
import { parseUrl } from "./urls.ts";

/**
 * An e-mail address by the rule of HTML's `<input type="email">`, which Supabase Auth has too. It becomes lower case, and
 * an internationalised domain becomes Punycode (`a@почта.рф`: `a@xn--80a1acny.xn--p1ai`).
 */
export const email = z.preprocess(comparable, z.email({ pattern: z.regexes.html5Email }).max(320));

/** An e-mail address as it is stored; a value that is none stays as it is. */
export function comparable(address: unknown): unknown {
  if (typeof address !== "string") return address;
  const at = address.lastIndexOf("@") + 1;
  return (address.slice(0, at) + inAscii(address.slice(at))).toLowerCase();
}

/** Everything that ends the host in a URL, or that a URL parser decodes. */
const NOT_IN_DOMAINS = /[\s/?#:@%\\[\]]/;
const ASCII = /^[\0-\x7f]*$/;

function inAscii(domain: string): string {
  if (ASCII.test(domain) || NOT_IN_DOMAINS.test(domain)) return domain;
  // URL parsers do as UTS 46 says.
  return parseUrl(`http://${domain}`)?.hostname ?? domain;
}
