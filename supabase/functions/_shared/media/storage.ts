import { environment } from "../http/environment.ts";
import { isAway } from "../http/errors.ts";
import { resumableUploads } from "./resumable.ts";

// Calls of Storage's HTTP API with a secret key. The database checks permissions before.

export type Bucket = "exports";

/** Maximum number of paths that Storage signs in one request. */
const SIGNED_AT_ONCE = 1000;

/** The address at which callers reach Storage. */
export const storageAddress = () => `${environment.publicUrl}/storage/v1`;

const storageIsAway = () => isAway("Storage is away for a moment. Try again.");

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

  /** The JSON of an answer. Throws if Storage refused: here that is an error of ours. */
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows what it asked for.
  async function must(asked: Promise<Response>): Promise<any> {
    const answer = await asked;
    if (!answer.ok) throw new Error(`Storage: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  return {
    ...resumableUploads(send),

    /** Uploads an object in one request. The path must be free. */
    async put(bucket: Bucket, path: string, bytes: Uint8Array, contentType: string): Promise<void> {
      await must(
        send(`/object/${bucket}/${pathOf(path)}`, {
          method: "POST",
          headers: { "content-type": contentType },
          body: bytes as BodyInit,
        }),
      );
    },

    /** Deletes objects. Missing ones are no error. */
    async remove(bucket: Bucket, paths: readonly string[]): Promise<void> {
      await must(sendJson(`/object/${bucket}`, { prefixes: paths }, "DELETE"));
    },

    /** Signs addresses of private objects, in the order of the paths; null without an object. `expiresIn`: in seconds. */
    async sign(
      bucket: Bucket,
      paths: readonly string[],
      expiresIn: number,
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
  };
}

export type Storage = ReturnType<typeof openStorage>;
