import { PROMOTION } from "../http/authenticate.ts";
import { environment } from "../http/environment.ts";
import { COUNTED, functionsKey } from "../http/request_counts.ts";
import { parseUrl } from "../http/urls.ts";
import type { ShownAsset } from "./inputs.ts";

/** Reads the sources of a page with the rights of its reader. */
export interface Reach {
  /** Identifies the reader's rights. Values that are kept for one reader are not shown to another. */
  rights: string;
  /** Reads JSON. Throws an error with the reason if it cannot. */
  read(kind: "api" | "database", address: string): Promise<unknown>;
  /** An asset that no text of the page names, by its id. */
  asset?(id: string): Promise<ShownAsset | undefined>;
}

const ANSWER_BYTES = 1_048_576;
const SOURCE_MS = 2_000;

/**
 * Reads with the headers of a reader: a user's token, or the marketplace of a visitor; none of a preview without a session.
 * `marks`: whether the page marks promoted products and has their tokens. Others read lists without promotion.
 */
export function reachAs(
  reader: Record<string, string>,
  { rights, marks }: { rights: string; marks: boolean },
  signal: AbortSignal,
): Reach {
  return {
    rights,
    async read(kind, address) {
      const path = kind === "api" ? apiPath(address) : databasePath(address);
      if (path === undefined) throw new Error("a source cannot read this address");
      const response = await fetch(environment.supabaseUrl + path, {
        headers: {
          accept: "application/json",
          apikey: environment.publishableKey,
          ...reader,
          ...(!marks && { [PROMOTION]: "none" }),
          // This request is counted as part of the request for the page. A user's token counts again in this API, but
          // the address would be that of this function, which all visitors share.
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
