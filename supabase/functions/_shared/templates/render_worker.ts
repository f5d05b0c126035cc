import { databaseAs, databaseAsService, databaseAsVisitor } from "../http/authenticate.ts";
import type { Subject } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import { queueName } from "../http/large_answers.ts";
import { countRequest } from "../http/request_counts.ts";
import { createRoutes } from "../http/routes.ts";
import { verify } from "../http/tokens.ts";
import { MARKETPLACE, VISITOR } from "../http/visits.ts";
import { requireSecretKey } from "../http/worker.ts";
import { readOffsets } from "../liquid/zones.ts";
import { isObject } from "../values/depth.ts";
import { HEADERS, type PageRequest } from "./handover.ts";
import type { Inputs } from "./inputs.ts";
import { reachFor } from "./reaching.ts";
import { pageRefusalOf } from "./refusing.ts";
import { renderPage } from "./render_page.ts";
import { inTurns } from "./source_turns.ts";

/** The function `render`. It renders pages for the function `api` in a process of its own, because tenants write the templates. */
export const pageRenderer = createRoutes();

pageRenderer.post("/", async (c) => {
  requireSecretKey(c);
  const { id, variables, context } = c.get("body") as unknown as PageRequest;
  const signal = c.get("signal");
  const token = c.req.header(HEADERS.caller);
  const marketplace = c.req.header(MARKETPLACE);
  const visitor = c.req.header(VISITOR);
  const { sub } = token === undefined ? {} : await verify(token);
  const subject: Subject = JSON.parse(c.req.header(HEADERS.subject) as string);
  const db = databaseOf();
  const options = { ...context, asset_ids: assetIdsIn(variables) };
  const { data } = await db.rpc("template_inputs", { id_or_type: id, options }).throwOnError();
  const inputs = data as Inputs;
  const isPreview = context.preview !== undefined;
  // A preview is read as a visitor, so that everybody with its address sees the same.
  const reader = isPreview ? {} : { token, user: sub, visitor };
  try {
    const sent = { variables, device: context.device };
    const count = (requests: number) => countRequest(subject, requests);
    const reach = reachFor(inputs, reader, signal);
    const sources = inTurns(reach, count, queueName(inputs.tenant_id, inputs.role));
    const reachInTurns = {
      ...reach,
      read: sources.read,
      asset: (id: string) => foundAsset(id, inputs, signal),
    };
    const offsets = await readOffsets(inputs.time_zone);
    const addresses = storageAddresses();
    const { page, kept } = await renderPage(inputs, sent, reachInTurns, offsets, addresses);
    await sources.counted();
    return c.json(page, 200, {
      [HEADERS.key]: inputs.key,
      [HEADERS.personal]: String(kept.isPersonal),
      [HEADERS.memory]: String(isPreview ? 0 : kept.memory),
      [HEADERS.cdn]: String(isPreview ? 0 : kept.cdn),
    });
  } catch (error) {
    throw pageRefusalOf(error, variables);
  }

  function databaseOf() {
    if (token !== undefined) return databaseAs(token, signal);
    // Without both, the database checks the token of the preview.
    return marketplace === undefined
      ? databaseAsService(signal)
      : databaseAsVisitor(marketplace, signal);
  }
});

/** The addresses of the project's Storage, for browsers and for the functions. */
const storageAddresses = () =>
  [environment.publicUrl, environment.supabaseUrl].map((url) => `${url}/storage/v1`);

/** An asset of the tenant that everybody may see; undefined if there is none. */
async function foundAsset(id: string, { tenant_id, language }: Inputs, signal: AbortSignal) {
  const args = { tenant_id, asset_ids: [id], language };
  const { data } = await databaseAsService(signal).rpc("page_assets", args).throwOnError();
  return (data as Inputs["assets"])[id.toLowerCase()];
}

const ASSETS_AT_MOST = 100;

/** The ids of assets in variables, so that the database returns these assets, too. */
function assetIdsIn(variables: Record<string, unknown>): string[] {
  const ids = Object.values(variables).flatMap((value) =>
    isObject(value) && typeof value.asset_id === "string" ? [value.asset_id] : [],
  );
  return ids.filter((id) => /^[0-9a-f-]{36}$/i.test(id)).slice(0, ASSETS_AT_MOST);
}
