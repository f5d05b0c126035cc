/** The address of resumable uploads, and the headers of a caller. */
export interface Endpoint {
  url: string;
  headers: Record<string, string>;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

const metadataOf = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(",");

/** Begins an upload, as a TUS client does. */
export function create(
  { url, headers }: Endpoint,
  length: number,
  metadata: Record<string, string>,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      "tus-resumable": "1.0.0",
      "upload-length": String(length),
      "upload-metadata": metadataOf(metadata),
    },
  });
}

/** The headers of a part. */
export const partHeaders = ({ headers }: Endpoint, offset: number) => ({
  ...headers,
  "tus-resumable": "1.0.0",
  "upload-offset": String(offset),
  "content-type": "application/offset+octet-stream",
});

export const append = (
  location: string,
  endpoint: Endpoint,
  offset: number,
  bytes: Uint8Array<ArrayBuffer>,
) => fetch(location, { method: "PATCH", headers: partHeaders(endpoint, offset), body: bytes });

/** The offset of an upload; null if there is no such upload. */
export async function offsetOf(location: string, { headers }: Endpoint): Promise<number | null> {
  const answer = await fetch(location, {
    method: "HEAD",
    headers: { ...headers, "tus-resumable": "1.0.0" },
  });
  return answer.ok ? Number(answer.headers.get("upload-offset")) : null;
}

/** The parts of the id at the end of an upload's address: bucket, name and version. */
export const idOf = (location: string) =>
  Buffer.from(location.split("/").at(-1)!, "base64url").toString();

/** The name of an upload's file in the folder `partial`. */
export const fileOf = (location: string) => idOf(location).split("/").at(-1)!;
