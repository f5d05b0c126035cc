import { z } from "@hono/zod-openapi";
import { parseUrl } from "./urls.ts";

/**
 * An e-mail address by the rule of HTML's `<input type="email">`, which Supabase Auth uses too. It is stored in lower case,
 * and an internationalised domain as Punycode (`a@почта.рф`: `a@xn--80a1acny.xn--p1ai`).
 */
export const email = z.preprocess(comparable, z.email({ pattern: z.regexes.html5Email }).max(320));

/** An e-mail address as it is stored; any other value unchanged. */
export function comparable(address: unknown): unknown {
  if (typeof address !== "string") return address;
  const at = address.lastIndexOf("@") + 1;
  return (address.slice(0, at) + inAscii(address.slice(at))).toLowerCase();
}

/** Characters that end the host in a URL, or that a URL parser decodes. */
const NOT_IN_DOMAINS = /[\s/?#:@%\\[\]]/;
const ASCII = /^[\0-\x7f]*$/;

function inAscii(domain: string): string {
  if (ASCII.test(domain) || NOT_IN_DOMAINS.test(domain)) return domain;
  // URL parsers follow UTS 46.
  return parseUrl(`http://${domain}`)?.hostname ?? domain;
}
