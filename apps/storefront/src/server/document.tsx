import { LANGUAGE_DIRECTIONS } from "@souk/client";
import { renderToString } from "preact-render-to-string";
import { brandingStyles } from "../app/branding";
import { policyOfShop } from "../app/policy";
import { SENT_PAGE } from "../app/sent-page";
import type { PageHead } from "../shop/platform";
import { SENT_STYLES } from "../ui/style-sheet";
import type { RenderedPage } from "./render";

/** A document, and the content security policy that allows its styles. */
export interface Document {
  html: string;
  policy: string;
}

/** The parts of the built `index.html` that a rendered page replaces. */
const POLICY = /<meta\s+http-equiv="Content-Security-Policy"\s+content="([^"]*)"\s*\/?>/;
const CONFIG = /<link rel="preload" href="[^"]*config\.json"[^>]*>/;
const ICON = /<link rel="icon"[^>]*>/;
const TITLE = /<title>[^<]*<\/title>/;
const LANGUAGE = '<html lang="en">';
const HEAD_END = "</head>";
const ROOT = '<div id="root"></div>';

/** Fills the built `index.html` with a page. */
export async function documentOf(shell: string, page: RenderedPage): Promise<Document> {
  const { marketplace, language } = page.sent;
  const branding = safeStyles(brandingStyles(marketplace));
  const own = safeStyles(page.head.css ?? "");
  const styles = `<style>${branding}</style><style ${SENT_STYLES}>${own}</style>`;
  const sent = `<script type="application/json" id="${SENT_PAGE}">${safeJson(page.sent)}</script>`;
  const icon = marketplace.branding.favicon_url;
  // Functions, because `$` in a text would have a meaning.
  const html = shell
    .replace(POLICY, "")
    .replace(CONFIG, "")
    .replace(ICON, (built) => (icon ? renderToString(<link rel="icon" href={icon} />) : built))
    .replace(LANGUAGE, `<html lang="${language}" dir="${LANGUAGE_DIRECTIONS[language]}">`)
    .replace(TITLE, () => renderToString(<Head {...page.head} />))
    .replace(HEAD_END, () => styles + HEAD_END)
    .replace(ROOT, () => `<div id="root">${page.html}</div>${sent}`);
  const ofShop = policyOfShop(marketplace, page.sent.config.url);
  return { html, policy: await policyOf(shell, [branding, own], ofShop) };
}

/** The title, the metadata and the structured data of a page. */
function Head({ title, head, status }: PageHead) {
  const links = head?.links.filter(({ rel }) => rel !== "icon") ?? [];
  return (
    <>
      <title>{title}</title>
      {status && <meta name="robots" content="noindex" />}
      {head?.meta.map((meta) => (
        <meta key={meta.name} {...meta} />
      ))}
      {links.map((link) => (
        <link key={link.href + link.hreflang} {...link} />
      ))}
      {Object.entries(head?.open_graph ?? {}).map(([property, content]) => (
        <meta key={property} property={property} content={content} />
      ))}
      {head?.json_ld.map(safeJson).map((json) => (
        <script key={json} type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />
      ))}
    </>
  );
}

/** JSON that does not end its script. */
const safeJson = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

/** Styles that do not end their element. */
const safeStyles = (css: string): string => css.replaceAll("</", "<\\/");

/** The policy of the built page, which allows these styles, too, and has the directives of the shop. */
async function policyOf(
  shell: string,
  styles: readonly string[],
  ofShop: Record<string, string>,
): Promise<string> {
  const hashes = await Promise.all(styles.map(hashOf));
  const policy = builtPolicy(shell).replace(
    "style-src 'self'",
    `style-src 'self' ${hashes.join(" ")}`,
  );
  const others = policy
    .split(/;\s*/)
    .filter((directive) => !Object.hasOwn(ofShop, directive.split(" ", 1)[0] ?? ""));
  return [...others, ...Object.entries(ofShop).map((directive) => directive.join(" "))].join("; ");
}

/** The policy of the built page as a header, which can forbid frames. */
export function builtPolicy(shell: string): string {
  return `${POLICY.exec(shell)?.[1] ?? "default-src 'none'"}; frame-ancestors 'none'`;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}
