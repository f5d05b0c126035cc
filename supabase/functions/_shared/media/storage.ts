import { environment } from "../http/environment.ts";
import { ApiError, isAway } from "../http/errors.ts";
import { resumableUploads } from "./resumable.ts";

// Calls Storage's HTTP API with a secret key. The database checks permissions before. storage-js supports neither ranges
// nor the content type of a copy.

export type Bucket = "uploads" | "media" | "documents" | "exports";

/** Storage's data of an object. `size`: in bytes. */
interface StoredObject {
  size: number;
  /** A value that changes whenever the bytes are replaced. It never repeats. */
  version: string;
}

/** An object whose parts can be read. Throws CONFLICT if its bytes were replaced by shorter ones. */
export interface StoredFile extends StoredObject {
  /** Reads at most `length` bytes from `offset`; fewer at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A rendered image, or the reason for its absence: it cannot be decoded, or this Storage has no transformations. */
export type Rendered = { image: Uint8Array } | "undecodable" | "unavailable";

/** Default validity of signed addresses of private objects, in seconds. */
const SIGNED_FOR_SECONDS = 3600;

/**
 * The Cache-Control of a bucket's objects. A public path never shows something else. Private bytes are shown only to callers
 * whose rights were checked, so a cache must ask each time.
 */
const cachingOf = (bucket: Bucket) =>
  bucket === "media" ? "max-age=31536000" : "private, no-cache";

/** Maximum number of paths that Storage signs in one request. */
const SIGNED_AT_ONCE = 1000;

/** The address at which callers reach Storage. */
export const storageAddress = () => `${environment.publicUrl}/storage/v1`;

/** The error for bytes that were replaced while they were checked. */
export const replacedMeanwhile = () =>
  new ApiError(
    "CONFLICT",
    "The bytes were replaced while they were checked. Complete the upload again.",
  );

const storageIsAway = () => isAway("Storage is temporarily unavailable. Try again.");

const pathOf = (path: string) => path.split("/").map(encodeURIComponent).join("/");

export function openStorage(signal: AbortSignal) {
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const [key] = environment.secretKeys;
    const headers = new Headers(init.headers);
    headers.set("apikey", key);
    headers.set("authorization", `Bearer ${key}`);
    const address = `${environment.supabaseUrl}/storage/v1${path}`;
    const answer = await fetch(address, { ...init, headers, signal }).catch((error) => {
      // A request that has timed out is answered with TIMEOUT.
      throw signal.aborted ? error : storageIsAway();
    });
    if (answer.status === 429 || answer.status >= 500) {
      await answer.body?.cancel();
      throw storageIsAway();
    }
    return answer;
  }

  async function sendJson(path: string, body: unknown, method = "POST") {
    const headers = { "content-type": "application/json" };
    return send(path, { method, headers, body: JSON.stringify(body) });
  }

  /** The JSON of a response. A refusal of Storage is an internal error here, and is thrown. */
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the type of its response.
  async function must(asked: Promise<Response>): Promise<any> {
    const answer = await asked;
    if (!answer.ok) throw new Error(`Storage: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** The object at a path; undefined if there is none. */
  async function find(bucket: Bucket, path: string): Promise<StoredObject | undefined> {
    const answer = await send(`/object/info/authenticated/${bucket}/${pathOf(path)}`);
    if ((await refusalOf(answer))?.status === 404) return undefined;
    const { size, version } = await must(Promise.resolve(answer));
    if (!version) throw new Error("Storage returned an object without a version");
    return { size: Number(size), version };
  }

  return {
    ...resumableUploads(send),
    find,

    /** Uploads an object in one request. The path must be free, unless the object there is to be replaced. */
    async put(
      bucket: Bucket,
      path: string,
      bytes: Uint8Array,
      contentType: string,
      replaces = false,
    ): Promise<void> {
      await must(
        send(`/object/${bucket}/${pathOf(path)}`, {
          method: "POST",
          headers: {
            "content-type": contentType,
            "cache-control": cachingOf(bucket),
            "x-upsert": String(replaces),
          },
          body: bytes as BodyInit,
        }),
      );
    },

    /** An address and a token to upload to a path of `uploads`, once; undefined if an object is there. */
    async signUpload(path: string): Promise<{ url: string; token: string } | undefined> {
      const answer = await sendJson(`/object/upload/sign/uploads/${pathOf(path)}`, {});
      if ((await refusalOf(answer))?.status === 409) return undefined;
      const { url, token } = await must(Promise.resolve(answer));
      return { url: storageAddress() + url, token };
    },

    /** Opens the object at a path; undefined if there is none. */
    async open(bucket: Bucket, path: string): Promise<StoredFile | undefined> {
      const found = await find(bucket, path);
      if (!found) return undefined;
      const { size } = found;
      return {
        ...found,
        async read(offset, length) {
          const wanted = Math.min(length, size - offset);
          if (wanted <= 0) return new Uint8Array();
          const range = `bytes=${offset}-${offset + wanted - 1}`;
          const part = await send(`/object/authenticated/${bucket}/${pathOf(path)}`, {
            headers: { range },
          }).catch(async (error) => {
            // Storage on S3 fails with 500, not 416, if the range begins behind the end of shorter bytes.
            const now = signal.aborted ? found : await find(bucket, path);
            throw now?.version === found.version ? error : replacedMeanwhile();
          });
          const refusal = await refusalOf(part);
          if (refusal?.status === 404 || refusal?.status === 416) throw replacedMeanwhile();
          if (!part.ok) throw new Error(`Storage: ${part.status} for a range of ${bucket}`);
          return firstBytes(part, wanted);
        },
      };
    },

    /** Renders an image to fit into a square of `side` pixels. Throws SERVICE_UNAVAILABLE for any other failure. */
    async render(bucket: Bucket, path: string, side: number): Promise<Rendered> {
      const query = `width=${side}&height=${side}&resize=contain`;
      const answer = await send(`/render/image/authenticated/${bucket}/${pathOf(path)}?${query}`, {
        headers: { accept: "image/webp" },
      });
      const refusal = await refusalOf(answer);
      if (!refusal) return { image: new Uint8Array(await answer.arrayBuffer()) };
      const { status, code, message } = refusal;
      if (code === "InvalidRequest" && (status === 400 || status === 422)) return "undecodable";
      // The plan has no transformations, or this Storage was built without them and does not know the route.
      if (code === "FeatureNotEnabled" || /^Route .* not found$/.test(message))
        return "unavailable";
      throw storageIsAway();
    },

    /** Copies an object within Storage, to a new path. Throws CONFLICT if it is gone. */
    async copy(
      from: { bucket: Bucket; path: string },
      to: { bucket: Bucket; path: string; contentType: string },
    ): Promise<void> {
      const answer = await sendJson("/object/copy", {
        bucketId: from.bucket,
        sourceKey: from.path,
        destinationBucket: to.bucket,
        destinationKey: to.path,
        copyMetadata: false,
        metadata: { mimetype: to.contentType, cacheControl: cachingOf(to.bucket) },
      });
      if ((await refusalOf(answer))?.status === 404) throw replacedMeanwhile();
      await must(Promise.resolve(answer));
    },

    /** Deletes objects. Missing ones are no error. */
    async remove(bucket: Bucket, paths: readonly string[]): Promise<void> {
      await must(sendJson(`/object/${bucket}`, { prefixes: paths }, "DELETE"));
    },

    /** Signs addresses of private objects, in the order of the paths; null for a missing object. `expiresIn`: in seconds. */
    async sign(
      bucket: Bucket,
      paths: readonly string[],
      expiresIn = SIGNED_FOR_SECONDS,
    ): Promise<(string | null)[]> {
      const addresses: (string | null)[] = [];
      for (let first = 0; first < paths.length; first += SIGNED_AT_ONCE) {
        const body = { expiresIn, paths: paths.slice(first, first + SIGNED_AT_ONCE) };
        const signed: { signedURL: string | null }[] = await must(
          sendJson(`/object/sign/${bucket}`, body),
        );
        addresses.push(...signed.map(({ signedURL }) => signedURL && storageAddress() + signedURL));
      }
      return addresses;
    },

    /** Signs the address of a smaller version of a private image, valid for an hour. */
    async signSmaller(
      bucket: Bucket,
      path: string,
      width: number,
      height: number,
    ): Promise<string> {
      const body = { expiresIn: SIGNED_FOR_SECONDS, transform: { width, height } };
      const { signedURL } = await must(sendJson(`/object/sign/${bucket}/${pathOf(path)}`, body));
      return storageAddress() + signedURL;
    },
  };
}

export type Storage = ReturnType<typeof openStorage>;

/** The reason of a refusal by Storage. The status is in the body, because the HTTP status is often 400. The body stays readable. */
async function refusalOf(
  answer: Response,
): Promise<{ status: number; code: string; message: string } | undefined> {
  if (answer.ok) return undefined;
  const body = await answer
    .clone()
    .json()
    .catch(() => null);
  return {
    status: Number(body?.statusCode ?? answer.status),
    code: String(body?.code ?? body?.error ?? ""),
    message: String(body?.message ?? ""),
  };
}

/** The first bytes of a body. A server without ranges sends all of it; the rest is discarded. */
async function firstBytes(answer: Response, wanted: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(wanted);
  let filled = 0;
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  while (filled < wanted) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes.set(value.subarray(0, wanted - filled), filled);
    filled += value.length;
  }
  await reader.cancel();
  return bytes.subarray(0, filled);
}
