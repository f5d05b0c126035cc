import { type Token, Tokenizer } from "parse5";
import { type Compiled, compileHtml, render } from "../liquid/engine.ts";
import { CANDIDATE, OUTPUT } from "../liquid/html/addresses.ts";
import { isAddressName } from "../liquid/html/allowed_html.ts";
import { tagOf } from "../liquid/html/tags_of_html.ts";
import type { Page } from "../liquid/page.ts";
import { parseUrl } from "../values/urls.ts";
import type { Inputs } from "./inputs.ts";
import type { Rendering } from "./rendering.ts";

// An address that a template puts together from values could tell them to another host. So it must point to the shop itself,
// to its media, or to a host that an admin has listed. An address that a template contains as a whole tells nothing.

type MayHoldValues = NonNullable<Rendering["mayHoldValues"]>;

/** The base for relative addresses. */
const HERE = "https://here.invalid";

/** Admits the addresses of a marketplace, of `storage` (the project's Storage), and of the hosts that its admins listed. */
export function addressesOf(
  { marketplace }: Pick<Inputs, "marketplace">,
  storage: readonly string[],
): MayHoldValues {
  const { branding, domain, seo } = marketplace ?? {};
  const site = parseUrl(seo?.canonical_url ?? "")?.host;
  const hosts = new Set([domain, site, ...listed(branding?.hosts)]);
  const pictures = [branding?.logo_url, branding?.favicon_url];
  return (address) => {
    const url = parseUrl(address, HERE);
    if (!url) return false;
    if (url.origin === HERE) return true;
    // The reader sees a recipient, but not the text of a mail before it is written.
    if (url.protocol === "mailto:") return url.search === "";
    if (pictures.includes(address) || hosts.has(url.host)) return true;
    return storage.some((base) => url.href.startsWith(`${base}/`));
  };
}

const listed = (hosts: unknown): string[] =>
  Array.isArray(hosts) ? hosts.filter((host) => typeof host === "string") : [];

/** Renders HTML with Liquid, without addresses that hold values and may not. Errors: as compileHtml and render. */
export async function renderChecked(
  text: string,
  scope: object,
  { mayHoldValues, page }: Pick<Rendering, "mayHoldValues" | "page">,
): Promise<string> {
  const compiled = compileHtml(text);
  const html = await render(compiled, scope, page);
  return mayHoldValues ? withoutForeign(html, compiled, mayHoldValues, page) : html;
}

/** Removes each attribute with an address that holds values and may not, and warns of it. */
function withoutForeign(
  html: string,
  compiled: Compiled,
  mayHoldValues: MayHoldValues,
  page: Page,
): string {
  const constants = constantsIn(compiled);
  const isForeign = (address: string) => !constants.has(address) && !mayHoldValues(address);
  const warned = new Set<string>();
  let kept = "";
  let from = 0;
  for (const { name, value, start, end } of addressesIn(html)) {
    const written = name === "srcset" ? candidatesOf(value) : [value.trim()];
    const foreign = written.filter(isForeign);
    if (foreign.length === 0 || constants.has(value.trim())) continue;
    kept += html.slice(from, start);
    from = end;
    for (const address of foreign) {
      if (warned.has(address)) continue;
      warned.add(address);
      page.budget.step(10);
      page.warn({
        code: "ADDRESS_LEFT_OUT",
        message: `The ${name} ${address.slice(0, 200)} is left out: with a value in it, it must point to the shop, its media, or a host in settings.branding.hosts.`,
      });
    }
  }
  return kept + html.slice(from);
}

const candidatesOf = (srcset: string): string[] =>
  srcset.split(",").map((one) => CANDIDATE.exec(one.trim())?.[1] ?? one.trim());

interface Written {
  name: string;
  value: string;
  /** The place of the attribute in the HTML. */
  start: number;
  end: number;
}

/** The attributes with addresses in rendered HTML, in order. */
function addressesIn(html: string): Written[] {
  const found: Written[] = [];
  const skip = () => {};
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag({ attrs, location }: Token.TagToken) {
        for (const { name, value } of attrs) {
          const place = location?.attrs?.[name];
          if (!place || !isAddressName(name)) continue;
          found.push({ name, value, start: place.startOffset, end: place.endOffset });
        }
      },
      onEndTag: skip,
      onComment: skip,
      onDoctype: skip,
      onCharacter: skip,
      onNullCharacter: skip,
      onWhitespaceCharacter: skip,
      onEof: skip,
    },
  );
  tokenizer.write(html, true);
  return found;
}

const constants = new WeakMap<Compiled, ReadonlySet<string>>();

const LIQUID = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
const VALUE = /=\s*(?:"([^"\ue000]*)"|'([^'\ue000]*)'|([^\s"'>\ue000]+))/g;

/** The addresses that a text contains as a whole, without any tag or output in them. */
function constantsIn(compiled: Compiled): ReadonlySet<string> {
  const known = constants.get(compiled);
  if (known) return known;
  const values = compiled.text.replace(LIQUID, OUTPUT).matchAll(VALUE);
  const found = new Set([...values].map((one) => decoded(one[1] ?? one[2] ?? one[3] ?? "").trim()));
  constants.set(compiled, found);
  return found;
}

/** The value of an attribute, without entities. */
function decoded(value: string): string {
  if (!value.includes("&")) return value;
  const quote = value.includes('"') ? "'" : '"';
  return tagOf(`<a title=${quote}${value}${quote}>`)?.attrs[0]?.value ?? value;
}
