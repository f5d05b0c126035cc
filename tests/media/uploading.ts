import { type Answer, call, must, type Person } from "../souk.js";

// The steps of an upload without @souk/client.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export type Asset = any;

export function announcementOf(bytes: Uint8Array, type: string, overrides: object = {}) {
  return { filename: "file", size: bytes.byteLength, content_type: type, ...overrides };
}

export function announce(as: Person, bytes: Uint8Array, type: string, overrides: object = {}) {
  return must("POST", "/api/media", { as, body: announcementOf(bytes, type, overrides) });
}

/** Sends bytes to the upload URL of an announced asset. */
export function sendBytes({ upload }: Asset, bytes: Uint8Array): Promise<Response> {
  const { url, method, headers } = upload;
  return fetch(url, { method, headers, body: bytes as BodyInit });
}

export const complete = (as: Person, { id }: Asset): Promise<Answer> =>
  call("POST", `/api/media/${id}/complete`, { as });

/** Runs all steps. Returns the announced asset and the answer of its completion. */
export async function tryUpload(
  as: Person,
  bytes: Uint8Array,
  type: string,
  overrides: object = {},
) {
  const announced = await announce(as, bytes, type, overrides);
  const sent = await sendBytes(announced, bytes);
  if (!sent.ok) throw new Error(`sending: ${sent.status} ${await sent.text()}`);
  return { announced, answer: await complete(as, announced) };
}

export async function upload(
  as: Person,
  bytes: Uint8Array,
  type: string,
  overrides: object = {},
): Promise<Asset> {
  const { answer } = await tryUpload(as, bytes, type, overrides);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
