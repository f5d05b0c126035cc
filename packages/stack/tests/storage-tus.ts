/** Where uploads begin, and who begins them. */
export interface Door {
  url: string;
  headers: Record<string, string>;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

const metadataOf = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(",");

/** TUS, spoken plainly: what a client library sends. */
export function create(
  { url, headers }: Door,
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

export const append = (
  location: string,
  { headers }: Door,
  offset: number,
  bytes: Uint8Array<ArrayBuffer>,
) =>
  fetch(location, {
    method: "PATCH",
    headers: {
      ...headers,
      "tus-resumable": "1.0.0",
      "upload-offset": String(offset),
      "content-type": "application/offset+octet-stream",
    },
    body: bytes,
  });

/** How far an upload has come; null where there is none. */
export async function offsetOf(location: string, { headers }: Door): Promise<number | null> {
  const answer = await fetch(location, {
    method: "HEAD",
    headers: { ...headers, "tus-resumable": "1.0.0" },
  });
  return answer.ok ? Number(answer.headers.get("upload-offset")) : null;
}
