import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { MemoryLocker, Metadata, Server, type ServerOptions, type Upload } from "@tus/server";
import type { Database } from "../db/database.js";
import type { Call, Resumable } from "./call.js";
import { storageItself } from "./caller.js";
import type { Disk } from "./disk.js";
import { asStorageError, invalidRequest, noSuchBucket, StorageError } from "./errors.js";
import { checkKey, checkMimeType, isBucketName, isEmptyFolder } from "./names.js";
import { PartialUploads, readId, type UploadId, writeId } from "./partial-uploads.js";
import { verifySignature } from "./signed-urls.js";
import { asObject, complete, limitsOf, mayUpload, orRemove } from "./upload.js";

const PATH = "/upload/resumable";
const SIGNED = `${PATH}/sign`;

/** A request, and whether what it sends may take the place of an object. */
type ResumableCall = Call & { upsert: boolean };

/** What the protocol's library hands over of a request. */
type Request = Parameters<NonNullable<ServerOptions["onIncomingRequest"]>>[0];

export function createResumable(disk: Disk, db: Database): Resumable {
  const uploads = new PartialUploads(disk, async ({ bucket, name, version }) => {
    const [found] = await db.query(
      "select from storage.objects where bucket_id = $1 and name = $2 and version = $3",
      [bucket, name, version],
    );
    return found !== undefined;
  });
  const calls = new WeakMap<IncomingMessage, ResumableCall>();
  const callOf = (request: Request): ResumableCall => {
    const incoming = request.runtime?.node?.req as IncomingMessage | undefined;
    const call = incoming && calls.get(incoming);
    if (!call) throw new Error("a resumable upload without its request");
    return call;
  };

  /** The call for the object that an upload becomes. */
  const about = (request: Request, id: string): ResumableCall => {
    const { bucket, name } = readId(id);
    return Object.assign(callOf(request), { bucket, name });
  };

  /** Judges the caller's policies before the first part and before each that follows. */
  async function onIncomingRequest(request: Request, id: string): Promise<void> {
    const call = about(request, id);
    const { method, headers } = call.incoming;
    if (isSigned(call)) {
      const signature = headers["x-signature"];
      if (typeof signature !== "string") {
        throw new StorageError("InvalidSignature", "Missing x-signature header");
      }
      const claims = await verifySignature(call, signature, "upload");
      call.caller = { ...storageItself, owner: claims.owner ?? null };
      call.upsert = claims.upsert === true;
    }
    if (method !== "POST" && method !== "PATCH" && method !== "DELETE") return;
    const told = method === "POST" ? toldBy(headers) : await uploads.getUpload(id);
    // What is whole already asks for nothing more.
    if (method !== "POST" && told.size !== undefined && told.offset === told.size) return;
    await mayUpload(call, {
      upsert: call.upsert,
      mimeType: told.metadata?.contentType ?? undefined,
      contentLength: told.size,
      userMetadata: userMetadataOf(told.metadata),
    });
  }

  async function onUploadCreate(request: Request, upload: Upload) {
    const call = about(request, upload.id);
    const { contentType, cacheControl } = upload.metadata ?? {};
    const { allowed } = await limitsOf(call, call.bucket, call.name);
    if (!isEmptyFolder(call.name)) checkMimeType(contentType ?? UNKNOWN_TYPE, allowed);
    const isTime = /^-?\d+$/.test(cacheControl ?? "");
    const age = isTime ? `max-age=${cacheControl}` : "no-cache";
    return { metadata: { ...upload.metadata, cacheControl: age } };
  }

  async function onUploadFinish(request: Request, { id, metadata }: Upload) {
    const call = about(request, id);
    const written = await uploads.share(id);
    if (written) {
      const told = {
        mimeType: metadata?.contentType ?? UNKNOWN_TYPE,
        cacheControl: metadata?.cacheControl ?? "no-cache",
        userMetadata: userMetadataOf(metadata),
      };
      await orRemove(call, written.version, complete(call, written, told, call.upsert));
      await uploads.finish(id);
    }
    return { headers: { "Tus-Complete": "1" } };
  }

  const server = new Server({
    path: PATH,
    datastore: uploads,
    locker: new MemoryLocker(),
    disableTerminationForFinishedUploads: true,
    namingFunction: (_request, metadata) => writeId(newId(metadata)),
    getFileIdFromRequest: (request) => idOf(callOf(request)),
    generateUrl: (request, { proto, host, id }) => {
      const path = isSigned(callOf(request)) ? SIGNED : PATH;
      return `${proto}://${host}/storage/v1${path}/${Buffer.from(id).toString("base64url")}`;
    },
    maxSize: async (request, id) => {
      if (id === null) return callOf(request).config.storage.file_size_limit;
      const call = about(request, id);
      return (await limitsOf(call, call.bucket, call.name)).most;
    },
    onIncomingRequest,
    onUploadCreate,
    onUploadFinish,
    onResponseError: (request, error) => {
      if (!(error instanceof Error)) return undefined;
      const refused = asStorageError(error);
      if (!refused) callOf(request).log.error("a resumable upload failed", error);
      const { status, message } = refused ?? new StorageError("InternalError");
      return { status_code: status, body: message };
    },
  });

  return {
    async answer(call) {
      calls.set(call.incoming, { ...call, upsert: call.incoming.headers["x-upsert"] === "true" });
      await server.handle(call.incoming, call.outgoing);
      return null;
    },
    deleteExpired: () => uploads.deleteExpired(),
  };
}

const UNKNOWN_TYPE = "application/octet-stream";

/** As the route says: it lets in whoever has a signature. */
const isSigned = ({ operation }: Call) => operation.endsWith("_signed");

/** The end of the path: the id in base64. */
function idOf({ incoming }: Call): string | undefined {
  const [, encoded] =
    /^\/upload\/resumable\/(?:sign\/)?([\w-]+)\/?(?:\?|$)/.exec(incoming.url ?? "") ?? [];
  return encoded && encoded !== "sign" ? Buffer.from(encoded, "base64url").toString() : undefined;
}

function newId(metadata: Upload["metadata"]): UploadId {
  if (!metadata) throw invalidRequest("Metadata header is required");
  const { bucketName = "", objectName = "" } = metadata;
  if (!isBucketName(bucketName ?? "")) throw noSuchBucket();
  checkKey(objectName ?? "");
  return { bucket: bucketName as string, name: objectName as string, version: randomUUID() };
}

/** What a request says of the upload that it begins. */
function toldBy(headers: IncomingMessage["headers"]): Pick<Upload, "size" | "offset" | "metadata"> {
  const given = headers["upload-metadata"];
  const length = headers["upload-length"];
  return {
    offset: 0,
    size: typeof length === "string" ? Number(length) : undefined,
    metadata: typeof given === "string" ? Metadata.parse(given) : undefined,
  };
}

const userMetadataOf = (metadata: Upload["metadata"]) =>
  metadata?.metadata ? asObject(metadata.metadata) : undefined;
