import { Buffer } from "node:buffer";

// Uploads in parts by the TUS protocol. All requests go to Storage's own address, so only the id is read from the
// location in the response.

const PATH = "/upload/resumable";

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** An upload in progress. `bytes`: the bytes that have arrived. `size`: the size of the object, once announced. */
export interface Upload {
  bytes: number;
  size: number | undefined;
}

/** A part has not arrived completely. `findUpload` returns the number of bytes that have. */
export class PartNotTaken extends Error {
  override name = "PartNotTaken";
  constructor(readonly status: number) {
    super(`Storage did not take a part: ${status}`);
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
    /** Begins an object of unknown size. Resolves to the id of the upload. */
    async beginUpload(bucket: string, path: string, contentType: string): Promise<string> {
      const object = { bucketName: bucket, objectName: path, contentType };
      const metadata = Object.entries(object).map(
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
     * Sends a part that begins at `offset`, in bytes. `size`, the size of the object, goes with the last part, unless an
     * earlier request has announced it: Storage refuses it twice. Throws PartNotTaken, also if another client has written
     * to the upload.
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

    /** The progress of an upload; undefined if there is no such upload. */
    async findUpload(id: string): Promise<Upload | undefined> {
      const answer = await ask(`${PATH}/${id}`, "HEAD", {});
      const offset = answer.headers.get("upload-offset");
      const size = answer.headers.get("upload-length");
      if (!answer.ok || offset === null) return undefined;
      return { bytes: Number(offset), size: size === null ? undefined : Number(size) };
    },

    /** Deletes an upload that is not complete. A missing one is no error. */
    async dropUpload(id: string): Promise<void> {
      await ask(`${PATH}/${id}`, "DELETE", {});
    },

    /** The maximum size of a file in bytes that this Storage announces; infinite if it announces none. */
    async mostBytes(): Promise<number> {
      const answer = await ask(PATH, "OPTIONS", {});
      return Number(answer.headers.get("tus-max-size")) || Number.POSITIVE_INFINITY;
    },
  };
}
