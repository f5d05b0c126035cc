import type { Queryable } from "../db/database.js";
import type { Service, ServiceContext } from "../service.js";
import { answer, checkOutcome, mustBeChecked, totalOf } from "./answer.js";
import { type ApiRequest, readRequest } from "./api-request.js";
import type { SchemaCache } from "./cache.js";
import { asRestError, CacheMiss, isHeader, RestError } from "./errors.js";
import { qualified, quote } from "./fragments.js";
import { ANONYMOUS, type Identity, identify, settingsOf } from "./identity.js";
import { allowedMethods, type Planned, plan } from "./plan.js";
import { openCache } from "./reloading-cache.js";
import { requestSettings, type Target, targetOf } from "./request.js";
import type { Outcome } from "./statement.js";

/**
 * PostgREST's protocol over the database: tables, views and functions of the exposed schemas, with
 * the role of the request's token. Only Postgres checks privileges.
 */
export async function createRest(context: ServiceContext): Promise<Service> {
  const { db, config, keys } = context;
  const log = context.log.of("rest");
  const { schemas, extra_search_path, max_rows } = config.api;
  const searched = extra_search_path.map((schema) => `, ${quote(schema)}`).join("");
  const cache = await openCache(db, config.api, log);

  async function serve(request: Request): Promise<Response> {
    const target = targetOf(request);
    let role = ANONYMOUS;
    try {
      const identity = await identify(keys, request.headers.get("authorization"));
      role = identity.role;
      const apiRequest = await readRequest(request, target, {
        schemas,
        txOverride: cache.current.options.db_tx_end?.endsWith("-allow-override") ?? false,
      });
      return await fresh(() => perform(request, target, identity, apiRequest));
    } catch (error) {
      const refused = asRestError(error, role === ANONYMOUS);
      if (refused) return refusal(request, refused);
      log.error(`${request.method} ${target.path} failed`, error);
      return refusal(request, new RestError(500, "PGRSTX00", "Internal server error"));
    }
  }

  /** Retries once with a reloaded cache, because the missing object may be newer than the cache. */
  async function fresh<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CacheMiss)) throw error;
      await cache.reload();
      return await work();
    }
  }

  async function perform(
    request: Request,
    target: Target,
    identity: Identity,
    apiRequest: ApiRequest,
  ): Promise<Response> {
    const { current } = cache;
    const roleSettings = settingsOf(current, identity);
    if (apiRequest.action.kind === "options") return options(allowedMethods(current, apiRequest));
    const planned = plan(current, apiRequest, max_rows);
    const settings = {
      search_path: `${quote(apiRequest.schema)}${searched}`,
      ...roleSettings,
      ...planned.settings,
      role: identity.role,
      "request.jwt.claims": identity.claims,
      ...requestSettings(request, target),
      ...(apiRequest.preferences.timezone === null
        ? {}
        : { timezone: apiRequest.preferences.timezone }),
      ...(planned.readOnly ? { transaction_read_only: "on" } : {}),
    };
    const before = preRequest(current);
    if (!mustBeChecked(apiRequest, planned)) {
      const { sql, parameters } = planned;
      const [outcome] = await db.run<Outcome>(settings, sql, parameters.values, before);
      checkOutcome(apiRequest, outcome!);
      return answer(apiRequest, planned, outcome!, outcome!.total);
    }

    let response: (() => Response) | null = null;
    const undone = new Error("the request asked for a rollback");
    try {
      await db.transaction(settings, async (tx) => {
        if (before !== undefined) await tx.query(before);
        const [outcome] = await tx.query<Outcome>(planned.sql, planned.parameters.values);
        checkOutcome(apiRequest, outcome!);
        const total = totalOf(apiRequest, outcome!, await expected(tx, planned), max_rows);
        response = () => answer(apiRequest, planned, outcome!, total);
        if (apiRequest.preferences.tx !== "rollback") return;
        await tx.query("set constraints all immediate");
        throw undone;
      });
    } catch (error) {
      if (error !== undone) throw error;
    }
    return response!();
  }

  return { fetch: serve, close: cache.close };
}

const options = (allowed: string) =>
  new Response(null, { status: 200, headers: { Allow: allowed } });

/** The statement that calls the function named by `pgrst.db_pre_request`. */
function preRequest({ options: { db_pre_request: name } }: SchemaCache): string | undefined {
  if (!name) return undefined;
  const dot = name.indexOf(".");
  return `select ${qualified({ schema: name.slice(0, Math.max(0, dot)), name: name.slice(dot + 1) })}()`;
}

/** The number of rows that Postgres' planner expects. */
async function expected(tx: Queryable, { explain }: Planned): Promise<number | null> {
  if (explain === null) return null;
  const [row] = await tx.query<{ "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }>(
    explain.sql,
    explain.parameters.values,
  );
  return row?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? null;
}

function refusal(request: Request, error: RestError): Response {
  const bodiless = request.method === "HEAD" || [204, 205, 304].includes(error.status);
  const source = `PostgREST; error=${error.code}`;
  return new Response(bodiless ? null : error.body, {
    status: error.status,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      // A function may raise a code that is invalid in a header.
      ...(isHeader("Proxy-Status", source) && { "Proxy-Status": source }),
      ...error.headers,
    },
  });
}
