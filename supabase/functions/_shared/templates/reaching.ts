import { environment } from "../http/environment.ts";
import { functionsKey } from "../http/request_counts.ts";

/** How a page's sources are read: as whoever looks at it. */
export interface Reach {
  /** Whose answers these are: what one is shown is not kept for another. */
  rights: string;
  /** Reads JSON. Throws whatever keeps it from that. */
  read(kind: "api" | "database", address: string): Promise<unknown>;
}

const ANSWER_BYTES = 1_048_576;
const SOURCE_MS = 2_000;

/** Reads as the caller with this token, or as anybody where there is none. */
export function reachAs(token: string | undefined, rights: string, signal: AbortSignal): Reach {
  return {
    rights,
    async read(kind, address) {
      const path = kind === "api" ? apiPath(address) : databasePath(address);
      if (path === undefined) throw new Error("this is no address that a source may read");
      const response = await fetch(environment.supabaseUrl + path, {
        headers: {
          accept: "application/json",
          apikey: environment.publishableKey,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          // What the functions ask of the database is counted with the request that it is for.
          ...(kind === "database" && { "x-souk-counted": await functionsKey() }),
        },
        // It would lead to where nobody has looked.
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

/** What browsers and servers read otherwise than one sees: control characters, spaces and backslashes. */
const BENT = /[\p{Cc}\p{Cs}\s\\]/u;

/** The first parts of this API's paths that a page may read. */
const READABLE = new Set(["api", "products", "orders", "marketplaces", "semantic-search"]);

/** A path of this API below the functions' address; undefined for anything else. */
export function apiPath(address: string): string | undefined {
  const url = read(address);
  const steps = url && stepsOf(url.pathname);
  if (!url || !steps) return undefined;
  const path = steps.join("/");
  // A page that has itself rendered would never end.
  if (/(^|\/)render$/.test(path)) return undefined;
  if (!READABLE.has(steps[0] ?? "") && path !== "auth/me") return undefined;
  return `/functions/v1${url.pathname}${url.search}`;
}

/** A table or a function of the database with its query, as PostgREST reads it; undefined for anything else. */
export function databasePath(query: string): string | undefined {
  const url = read(`/${query}`);
  if (!url || !/^\/(rpc\/)?[a-z_][a-z0-9_]*$/.test(url.pathname)) return undefined;
  return `/rest/v1${url.pathname}${url.search}`;
}

/** An address of this origin, judged as it is read: whoever it names besides, it does not get there. */
function read(address: string): URL | undefined {
  if (!address.startsWith("/") || address.startsWith("//") || BENT.test(address)) return undefined;
  if (!URL.canParse(address, HERE)) return undefined;
  const url = new URL(address, HERE);
  const isHere = url.origin === HERE && !url.username && !url.password && !url.hash;
  // `..` is gone once it is read, and where it led to is not what was written.
  return isHere && url.pathname === address.split("?", 1)[0] ? url : undefined;
}

/** The parts of a path, decoded; undefined where one of them would be read as two, or as none. */
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
