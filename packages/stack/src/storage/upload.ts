import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { DatabaseAway } from "../db/away.js";
import { type Answer, type Call, discard, lookUp, orDuplicate, probe } from "./call.js";
import type { Written } from "./disk.js";
import { invalidRequest, noSuchBucket, StorageError } from "./errors.js";
import { checkKey, checkMimeType, isEmptyFolder } from "./names.js";
import { insertObject, putObject, upsertObject } from "./object-rows.js";

/** The headers or form fields of an upload. */
export interface Sent {
  mimeType: string;
  cacheControl: string;
  userMetadata: Record<string, unknown> | undefined;
  xRobotsTag?: string;
}

/** The part of an upload that policies can read. */
interface ProposedUpload {
  upsert: boolean;
  userMetadata: Record<string, unknown> | undefined;
  mimeType: string | undefined;
  contentLength: number | undefined;
}

export interface UploadLimits {
  most: number;
  allowed: string[] | null;
}

/** Largest user metadata in a form, in bytes. */
const USER_METADATA_BYTES = 1024 * 1024;

export const createObject = (call: Call) =>
  upload(call, call.incoming.headers["x-upsert"] === "true");
export const updateObject = (call: Call) => upload(call, true);

/** Takes the object of a request. The owner is `call.caller`, and the policies are those of its role. */
export async function upload(call: Call, upsert: boolean): Promise<Answer> {
  const limits = await limitsOf(call, call.bucket, call.name);
  const { bytes, ...sent } = await readUpload(call.incoming, limits);
  checkKey(call.name);
  if (!isEmptyFolder(call.name)) checkMimeType(sent.mimeType, limits.allowed);
  const contentLength = lengthOf(call.incoming);
  const isForm = isMultipart(call.incoming);
  if (!isForm && (contentLength ?? 0) > limits.most) throw new StorageError("EntityTooLarge");
  await mayUpload(call, { ...sent, upsert, contentLength });
  const written = await call.disk.write(bytes, limits.most).catch((error) => {
    // Errors of the disk and of the network have a code. The error of a truncated form has none.
    throw error === bytes.errored && !error.code ? invalidRequest(error.message) : error;
  });
  const kept = { ...sent, userMetadata: sent.userMetadata ?? {} };
  const id = await orRemove(call, written.version, complete(call, written, kept, upsert));
  return { json: { Id: id, Key: `${call.bucket}/${call.name}` } };
}

/** The limits of a bucket for a name. Throws NoSuchBucket. */
export async function limitsOf(call: Call, bucket: string, name: string): Promise<UploadLimits> {
  const [row] = await lookUp<{ most: number | null; allowed: string[] | null }>(
    call,
    `select file_size_limit as most, allowed_mime_types as allowed
     from storage.buckets where id = $1`,
    [bucket],
  );
  if (!row) throw noSuchBucket();
  const { file_size_limit: global } = call.config.storage;
  const most = isEmptyFolder(name) ? 0 : Math.min(row.most ?? global, global);
  return { most, allowed: row.allowed };
}

/** Checks the policies with a row that is rolled back. Throws AccessDenied, KeyAlreadyExists. */
export async function mayUpload(call: Call, proposed: ProposedUpload): Promise<void> {
  const { mimeType: mimetype, contentLength, upsert, userMetadata } = proposed;
  const metadata = { mimetype, contentLength };
  const { bucket, name } = call;
  const { owner } = call.caller;
  const object = { bucket, name, owner, version: "1", metadata, userMetadata };
  const probed = probe(call, (tx) =>
    upsert ? upsertObject(tx, object) : insertObject(tx, object),
  );
  await orDuplicate("KeyAlreadyExists", probed);
}

/** Makes complete bytes an object; with `upsert`, it may replace one. Throws KeyAlreadyExists. Resolves with the id. */
export async function complete(
  call: Call,
  written: Written,
  sent: Sent,
  upsert: boolean,
): Promise<string> {
  const { bucket, name } = call;
  const { owner } = call.caller;
  const { version } = written;
  const { userMetadata } = sent;
  const metadata = metadataOf(written, sent);
  const object = { bucket, name, owner, version, metadata, userMetadata };
  return await putObject(call, object, upsert);
}

/** The `metadata` of an object's row, with the fields of hosted. */
export const metadataOf = (
  { size, eTag, lastModified }: Written,
  { mimeType, cacheControl, xRobotsTag }: Omit<Sent, "userMetadata">,
) => ({
  eTag,
  size,
  mimetype: mimeType,
  cacheControl,
  lastModified: lastModified.toISOString(),
  contentLength: size,
  httpStatusCode: 200,
  ...(xRobotsTag && { xRobotsTag }),
});

/**
 * Removes the bytes if `work`, which writes their row, fails. If the connection broke before the database answered, the
 * row may exist. Then the bytes stay, and the next start removes them if there is no row.
 */
export async function orRemove<T>(call: Call, version: string, work: Promise<T>): Promise<T> {
  return await work.catch(async (error) => {
    if (!(error instanceof DatabaseAway && error.asked)) await discard(call, [version]);
    throw error;
  });
}

const isMultipart = ({ headers }: IncomingMessage) =>
  headers["content-type"]?.startsWith("multipart/form-data") === true;

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = Number(headers["content-length"]);
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined;
}

/** Finds the bytes of a request: the body, or the file in a form. */
async function readUpload(
  incoming: IncomingMessage,
  limits: UploadLimits,
): Promise<Sent & { bytes: Readable }> {
  const { headers } = incoming;
  const robots = headers["x-robots-tag"];
  const xRobotsTag = typeof robots === "string" ? robots : undefined;
  if (isMultipart(incoming)) return { ...(await readForm(incoming, limits)), xRobotsTag };
  const metadata = headers["x-metadata"];
  return {
    bytes: incoming,
    mimeType: headers["content-type"] || "application/octet-stream",
    cacheControl: headers["cache-control"] ?? "no-cache",
    userMetadata: typeof metadata === "string" ? parseUserMetadata(metadata) : undefined,
    xRobotsTag,
  };
}

/** Reads a form up to its file. Fields after the file are ignored, as hosted. */
function readForm(
  incoming: IncomingMessage,
  { most }: UploadLimits,
): Promise<Sent & { bytes: Readable }> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => {
      incoming.unpipe();
      incoming.resume();
      reject(error);
    };
    let form: InstanceType<typeof Busboy>;
    try {
      form = new Busboy({
        headers: incoming.headers as { "content-type": string },
        limits: { fields: 10, files: 1, fileSize: most + 1, fieldSize: USER_METADATA_BYTES + 1 },
      });
    } catch (error) {
      return refuse(invalidRequest((error as Error).message));
    }
    const fields = new Map<string, string>();
    form.on("field", (name, value) => fields.set(name, value));
    form.on("file", (_field, bytes: BusboyFileStream, _file, _encoding, type) => {
      // The form or the connection can fail while the policies are checked, when nothing else listens for the error.
      bytes.on("error", (error) => bytes.destroy(error));
      const cacheTime = fields.get("cacheControl");
      const metadata = fields.get("metadata") ?? fields.get("userMetadata");
      if (metadata && Buffer.byteLength(metadata) > USER_METADATA_BYTES) {
        bytes.resume();
        return refuse(
          new StorageError("EntityTooLarge", "The user_metadata exceeded the maximum allowed size"),
        );
      }
      incoming.once("close", () => {
        if (!incoming.complete) bytes.destroy(invalidRequest("Request stream closed"));
      });
      resolve({
        bytes,
        mimeType: fields.get("contentType") || type,
        cacheControl: cacheTime ? `max-age=${cacheTime}` : "no-cache",
        userMetadata: metadata === undefined ? undefined : asObject(metadata),
      });
    });
    form.on("error", (error) => refuse(invalidRequest((error as Error).message)));
    form.once("finish", () => reject(invalidRequest("No content provided")));
    incoming.pipe(form);
  });
}

/** Reads the header `x-metadata`, JSON in base64. A malformed value is ignored, as hosted. */
export const parseUserMetadata = (header: string) =>
  asObject(Buffer.from(header, "base64").toString());

/** Parses user metadata. A malformed value is ignored, as hosted. */
export function asObject(json: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(json) ?? undefined;
  } catch {
    return undefined;
  }
}
