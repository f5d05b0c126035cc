import type { IncomingMessage, ServerResponse } from "node:http";
import { RETRY_AFTER } from "../db/away.js";
import type { Service, ServiceContext } from "../service.js";
import type { Call, Storage } from "./call.js";
import { createRoleCheck, readCaller, serviceItself } from "./caller.js";
import { openDisk } from "./disk.js";
import { asStorageError, invalidRequest, noSuchBucket, StorageError } from "./errors.js";
import { createLocks } from "./locks.js";
import { isBucketName } from "./names.js";
import { removeOrphans } from "./orphans.js";
import { createResumable } from "./resumable.js";
import { createRouter, type Match } from "./routes.js";
import { seedBuckets } from "./seed.js";
import { temporaryFolder } from "./temporary.js";

const OFF = "Storage is switched off: [storage] enabled in supabase/config.toml";

/** Interval between two removals of expired uploads. */
const EXPIRY_MS = 3600 * 1000;

/**
 * Serves Supabase Storage's protocol over the tables of the schema `storage` and files on disk. The policies of the
 * tables decide about each request, for the role that its token names.
 */
export async function createStorage(context: ServiceContext): Promise<Service> {
  const { db, keys, log } = context;
  const { enabled } = context.config.storage;
  const temporary = context.storageFolder ? null : await temporaryFolder();
  const disk = openDisk(context.storageFolder ?? temporary!.path);
  const resumable = createResumable(disk, db);
  const storage: Storage = { ...context, disk, resumable, withLocks: createLocks() };
  const route = createRouter();
  const checkRole = createRoleCheck(db);
  if (enabled) {
    await removeOrphans(storage);
    await seedBuckets(storage);
  }
  const expiring = setInterval(() => {
    resumable.deleteExpired().catch((error) => log.error("cannot remove expired uploads", error));
  }, EXPIRY_MS).unref();

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "GET", url = "/" } = incoming;
    const [path = "", search] = url.split(/\?(.*)/s);
    const found = enabled ? findRoute(method, path) : null;
    if (!found) {
      const message = enabled ? `Route ${method}:${url} not found` : OFF;
      return send(outgoing, 404, {
        statusCode: "404",
        error: "Not Found",
        message,
        code: "InvalidRequest",
      });
    }
    const { endpoint, bucket, name } = found;
    const caller =
      endpoint.admits === "public"
        ? { ...serviceItself, authenticated: false }
        : await readCaller(keys, incoming, endpoint.admits === "anybody");
    await checkRole(caller.role);
    if (bucket !== "" && !isBucketName(bucket)) throw noSuchBucket();
    const call: Call = {
      ...storage,
      incoming,
      outgoing,
      caller,
      operation: endpoint.operation,
      bucket,
      name,
      query: new URLSearchParams(search),
    };
    const made = await endpoint.answer(call);
    if (made) send(outgoing, 200, made.json);
  }

  function findRoute(method: string, path: string): Match | null {
    try {
      return route(method, path);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      throw invalidRequest(`'${path}' is not a valid url component`);
    }
  }

  return {
    async serve(incoming, outgoing) {
      // Uploaders choose the content type. A browser must not guess another one.
      outgoing.setHeader("x-content-type-options", "nosniff");
      try {
        await answer(incoming, outgoing);
      } catch (error) {
        const refused = asStorageError(error) ?? new StorageError("InternalError");
        const isAborted = incoming.destroyed && !incoming.complete;
        if (refused.code === "InternalError" && !isAborted) {
          log.error(`${incoming.method} ${incoming.url?.split("?")[0]} failed`, error);
        }
        if (outgoing.headersSent) return void outgoing.destroy();
        if (refused.httpStatus === 503) outgoing.setHeader("retry-after", RETRY_AFTER);
        refuse(incoming, outgoing, refused);
      }
    },
    close: async () => {
      clearInterval(expiring);
      await temporary?.remove();
    },
  };
}

function send(outgoing: ServerResponse, status: number, json: unknown): void {
  const body = JSON.stringify(json);
  outgoing
    .writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
    })
    .end(body);
}

/** Time in which the rest of a refused body is read, so that the client sees the answer. Then the connection ends. */
const UNREAD_MS = 1000;

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, error: StorageError): void {
  for (const name of outgoing.getHeaderNames()) {
    if (
      /^(etag|cache-control|content-type|last-modified|expires|content-disposition)$/.test(name)
    ) {
      outgoing.removeHeader(name);
    }
  }
  if (!incoming.complete) {
    outgoing.setHeader("connection", "close");
    incoming.resume();
    setTimeout(() => incoming.destroy(), UNREAD_MS).unref();
  }
  send(outgoing, error.httpStatus, error.body);
}
