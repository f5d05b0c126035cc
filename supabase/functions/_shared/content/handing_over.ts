import type { Context } from "hono";
import { PROMOTION } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import { tenantOf } from "../http/large_answers.ts";
import { createTurns } from "../http/turns.ts";
import { MARKETPLACE, tokenOf, VISITOR } from "../http/visits.ts";
import type { DocumentParts } from "./documents.ts";
import type { Resolution } from "./merge.ts";
import type { Piece } from "./saving.ts";

/** Work on whole documents, which the function `render` does for the function `api`. */
export type DocumentWork =
  | { work: "merge"; piece: Piece; request: BranchMerge }
  | { work: "compare"; piece: Piece; from: number; to: number }
  | {
      work: "save";
      piece: Piece & { branch: string };
      began: number;
      changes: DocumentParts;
      comment?: string;
    }
  | {
      work: "translate";
      piece: Piece;
      language: string;
      began: number;
      changes: object;
      comment?: string;
    }
  | { work: "read"; piece: Piece; query: object; preview?: string }
  | { work: "list"; query: { page: number; limit: number; type: string } };

export interface BranchMerge {
  from: string;
  into: string;
  resolutions: Resolution[];
  comment?: string;
}

/** The header with the caller's token, in requests to `render`. */
export const CALLER = "x-souk-caller";

/** Works of a tenant at the same time: those that compare documents, and those that write HTML. */
const comparing = createTurns(1, { rest: true });
const reading = createTurns(2, { rest: true });

/**
 * Lets the function `render` work on a document for the caller, so that a large one does not delay the API, and in turns, so
 * that many do not delay other tenants. Its answer is passed on unchanged. Errors: RATE_LIMITED, and those of the work.
 */
export async function handOverDocument(c: Context<Env>, work: DocumentWork): Promise<Response> {
  const token = tokenOf(c);
  const turns = work.work === "read" || work.work === "list" ? reading : comparing;
  const tenant = (await tenantOf(c)) ?? (work.work === "read" ? work.preview : undefined) ?? "";
  const passed = [VISITOR, PROMOTION].flatMap((name) => {
    const value = c.req.header(name);
    return value === undefined ? [] : [[name, value]];
  });
  const marketplace = c.get("visit")?.marketplace;
  const end = await turns.begin(tenant);
  try {
    const response = await fetch(`${environment.supabaseUrl}/functions/v1/render/documents`, {
      method: "POST",
      headers: {
        apikey: environment.secretKeys[0],
        "content-type": "application/json",
        "x-request-id": c.get("requestId"),
        ...(token !== undefined && { [CALLER]: token }),
        ...(marketplace !== undefined && { [MARKETPLACE]: marketplace }),
        ...Object.fromEntries(passed),
      },
      body: JSON.stringify(work),
      signal: c.get("signal"),
    });
    const headers = ["etag", "retry-after"].flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    return c.newResponse(await response.text(), response.status as 200, {
      "Content-Type": "application/json",
      ...Object.fromEntries(headers),
    });
  } finally {
    end();
  }
}
