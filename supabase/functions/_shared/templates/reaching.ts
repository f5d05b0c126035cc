import { CUSTOMER, PROMOTION, RIGHTS } from "../http/authenticate.ts";
import { environment } from "../http/environment.ts";
import { COUNTED, functionsKey } from "../http/request_counts.ts";
import { MARKETPLACE, VISITOR } from "../http/visits.ts";
import { parseUrl } from "../values/urls.ts";
import type { Inputs, ShownAsset } from "./inputs.ts";
import type { PageType } from "./template.ts";

/** Reads the sources of a page. */
export interface Reach {
  /** Identifies the rights that sources are read with. Values that are kept for some are not shown to others. */
  rights: string;
  /** Reads JSON. Throws an error with the reason if it cannot. */
  read(kind: "api" | "database", address: string): Promise<unknown>;
  /** An asset that no text of the page names, by its id. */
  asset?(id: string): Promise<ShownAsset | undefined>;
}

/** The reader of a page. */
export interface Reader {
  /** The reader's access token; undefined for visitors and for previews. */
  token?: string;
  /** The id of the user. */
  user?: string;
  /** The random id of a visitor who consented. */
  visitor?: string;
}

const ANSWER_BYTES = 1_048_576;
const SOURCE_MS = 2_000;

/** The types of pages that show the reader's own customer, orders and downloads. */
const OWN_PAGES = new Set<PageType>(["profile", "checkout"]);

/**
 * Reads the sources of a page. Its author must not see more than the page's visitors. So a template reads what a visitor of
 * the marketplace may read, and on pages of OWN_PAGES also what belongs to the reader. The built-in pages, which no tenant
 * writes, read as the reader. Nobody has more rights here than a customer.
 */
export function reachFor(
  { tenant_id, template, marketplace }: Pick<Inputs, "tenant_id" | "template" | "marketplace">,
  { token, user, visitor }: Reader,
  signal: AbortSignal,
): Reach {
  // Only the built-in pages are known to mark promoted products.
  const isBuiltIn = template.id === null;
  const readsOwn = token !== undefined && (isBuiltIn || OWN_PAGES.has(template.type));
  const asReader = { authorization: `Bearer ${token}`, [RIGHTS]: CUSTOMER };
  const asVisitor = marketplace && {
    [MARKETPLACE]: marketplace.id,
    ...(isBuiltIn && visitor !== undefined && { [VISITOR]: visitor }),
  };
  return {
    rights: JSON.stringify([
      tenant_id,
      marketplace?.id ?? null,
      readsOwn ? user : isBuiltIn ? (visitor ?? null) : null,
      isBuiltIn,
    ]),
    async read(kind, address) {
      const path = kind === "api" ? apiPath(address) : databasePath(address);
      if (path === undefined) throw new Error("a source cannot read this address");
      const reader = readsOwn && (isBuiltIn || isOwn(path)) ? asReader : asVisitor;
      if (!reader) throw new Error("the page has no marketplace, so send context.marketplace_id");
      const response = await fetch(environment.supabaseUrl + path, {
        headers: {
          accept: "application/json",
          apikey: environment.publishableKey,
          ...reader,
          ...(!isBuiltIn && { [PROMOTION]: "none" }),
          // See inTurns, which has counted this request. Its address is that of this function, which all readers share.
          [COUNTED]: await functionsKey(),
        },
        // The target of a redirect is not checked.
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(SOURCE_MS)]),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`it answered ${response.status}`);
      }
      return JSON.parse(await textOf(response));
    },
  };
}

async function textOf({ body }: Response): Promise<string> {
  if (!body) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength;
    if (bytes > ANSWER_BYTES) {
      await reader.cancel();
      throw new Error("its answer is larger than 1 MB");
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

const HERE = "https://here.invalid";

/** Control characters, spaces and backslashes, which URL parsers drop or replace. */
const BENT = /[\p{Cc}\p{Cs}\s\\]/u;

/** The first segments of paths that a source may read. */
const READABLE = new Set(["api", "products", "orders", "marketplaces", "semantic-search"]);

/** The address of a path of this API; undefined if a source cannot read it. */
export function apiPath(address: string): string | undefined {
  const url = read(address);
  const steps = url && stepsOf(url.pathname);
  if (!url || !steps) return undefined;
  const path = steps.join("/");
  // A page that renders itself would not end.
  if (/(^|\/)render$/.test(path)) return undefined;
  if (!READABLE.has(steps[0] ?? "") && path !== "auth/me") return undefined;
  return `/functions/v1${url.pathname}${url.search}`;
}

/** The address of a table or function in PostgREST; undefined if a source cannot read it. */
export function databasePath(query: string): string | undefined {
  const url = read(`/${query}`);
  if (!url || !/^\/(rpc\/)?[a-z_][a-z0-9_]*$/.test(url.pathname)) return undefined;
  return `/rest/v1${url.pathname}${url.search}`;
}

/** What belongs to a customer, in this API and in PostgREST. */
const OWN_PATH =
  /^\/functions\/v1\/(?:auth\/me|(?:api\/)?orders(?:\/.*)?|api\/(?:customers|bookings)(?:\/.*)?)$/;
const OWN_TABLES = new Set(
  [
    "customers customer_details orders order_details order_parts order_items order_status_changes bookings",
    "booking_details shipments shipment_items shipment_details order_cancellations order_cancellation_items",
    "order_cancellation_details order_returns order_return_items order_return_details return_requests",
    "return_request_items return_request_details payments rpc/me rpc/order_downloads rpc/list_shipments",
    "rpc/list_return_requests",
  ].flatMap((line) => line.split(" ")),
);

/** Whether a path of apiPath or databasePath reads the reader's own customer, orders or downloads. */
function isOwn(path: string): boolean {
  const [pathname = ""] = path.split("?", 1);
  const table = pathname.replace(/^\/rest\/v1\//, "");
  return OWN_PATH.test(pathname) || OWN_TABLES.has(table);
}

/** Parses an address as URL parsers do; undefined unless it stays on this origin. */
function read(address: string): URL | undefined {
  if (!address.startsWith("/") || address.startsWith("//") || BENT.test(address)) return undefined;
  const url = parseUrl(address, HERE);
  if (!url) return undefined;
  const isHere = url.origin === HERE && !url.username && !url.password && !url.hash;
  // Parsing resolves `..`, so a changed path had one.
  return isHere && url.pathname === address.split("?", 1)[0] ? url : undefined;
}

/** The decoded segments of a path; undefined if a segment is empty, or contains a slash once decoded. */
function stepsOf(pathname: string): string[] | undefined {
  const steps: string[] = [];
  for (const step of pathname.slice(1).split("/")) {
    let decoded: string;
    try {
      decoded = decodeURIComponent(step);
    } catch {
      return undefined;
    }
    if (decoded === "" || /^\.+$/.test(decoded) || /[/%?#]/.test(decoded) || BENT.test(decoded)) {
      return undefined;
    }
    steps.push(decoded);
  }
  return steps;
}
