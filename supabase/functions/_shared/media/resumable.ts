import { Buffer } from "node:buffer";

// Uploads in parts, by TUS: to Storage's own address, so that what it answers of itself is read for its id alone.

const PATH = "/upload/resumable";

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** A part that has not arrived, or not as a whole: how far the upload is now, it will say itself. */
export class PartNotTaken extends Error {
  override name = "PartNotTaken";
  constructor(readonly status: number) {
    super(`Storage took no part: ${status}`);
  }
}

export function resumableUploads(send: Send) {
  async function ask(
    path: string,
    method: string,
    headers: Record<string, string>,
    body?: Uint8Array,
  ) {
    const answer = await send(path, {
      method,
      headers: { "tus-resumable": "1.0.0", ...headers },
      body: body as BodyInit | undefined,
    });
    await answer.body?.cancel();
    return answer;
  }

  return {
    /** Begins an object whose size nobody knows yet; answers the id of the upload. */
    async beginUpload(bucket: string, path: string, contentType: string): Promise<string> {
      const told = { bucketName: bucket, objectName: path, contentType };
      const metadata = Object.entries(told).map(
        ([name, value]) => `${name} ${Buffer.from(value).toString("base64")}`,
      );
      const answer = await ask(PATH, "POST", {
        "upload-defer-length": "1",
        "upload-metadata": metadata.join(","),
      });
      const id = answer.headers.get("location")?.split("/").at(-1);
      if (!answer.ok || !id) throw new Error(`Storage: ${answer.status} for a new upload`);
      return id;
    },

    /**
     * Sends what follows at an offset; with `size` it is the last part. Throws PartNotTaken, also where somebody else
     * has written there.
     */
    async sendPart(id: string, offset: number, part: Uint8Array, size?: number): Promise<void> {
      const answer = await ask(
        `${PATH}/${id}`,
        "PATCH",
        {
          "content-type": "application/offset+octet-stream",
          "upload-offset": String(offset),
          ...(size !== undefined && { "upload-length": String(size) }),
        },
        part,
      );
      if (Number(answer.headers.get("upload-offset")) !== offset + part.length) {
        throw new PartNotTaken(answer.status);
      }
    },

    /** How many bytes of an upload have come; undefined where there is none any more. */
    async uploadedBytes(id: string): Promise<number | undefined> {
      const answer = await ask(`${PATH}/${id}`, "HEAD", {});
      const offset = answer.headers.get("upload-offset");
      return answer.ok && offset !== null ? Number(offset) : undefined;
    },

    /** Gives up an upload that is not whole; what is not there is no error. */
    async dropUpload(id: string): Promise<void> {
      await ask(`${PATH}/${id}`, "DELETE", {});
    },

    /** The most bytes that this Storage takes in a file, where it says so. */
    async mostBytes(): Promise<number> {
      const answer = await ask(PATH, "OPTIONS", {});
      return Number(answer.headers.get("tus-max-size")) || Number.POSITIVE_INFINITY;
    },
  };
}
