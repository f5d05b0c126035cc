import type { RawData } from "ws";

/** The serializer versions that a client may choose with `vsn`. */
export type Version = "1.0.0" | "2.0.0";

/** A message of the Phoenix protocol. */
export interface Frame {
  joinRef: string | null;
  ref: string | null;
  topic: string;
  event: string;
  payload: unknown;
}

/** A received frame, with its size in bytes. */
export interface Received extends Frame {
  bytes: number;
}

/** Maximum size of a broadcast or presence plus its envelope, in bytes, as hosted. */
export const MAX_PAYLOAD_BYTES = 3_000_000 + 500;

/**
 * A broadcast: the map of a text frame, forwarded unchanged, or the event and bytes of a binary
 * frame.
 */
export type Broadcast =
  | { form: "map"; payload: Record<string, unknown> }
  | {
      form: "user";
      event: string;
      encoding: "json" | "binary";
      bytes: Buffer;
      meta?: Record<string, unknown>;
    };

const USER_BROADCAST_PUSH = 3;
const USER_BROADCAST = 4;

/** A client's message is not a frame of its protocol. */
export class FrameRefused extends Error {
  override name = "FrameRefused";
}

/**
 * Parses a client's message. The payload of a binary broadcast is a `Broadcast`. Throws
 * `FrameRefused`.
 */
export function readFrame(raw: RawData, binary: boolean, version: Version): Received {
  // `ws` passes a single Buffer by default.
  const bytes = raw as Buffer;
  if (binary && version === "2.0.0") return readBinary(bytes);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new FrameRefused("a frame is not JSON");
  }
  if (version === "2.0.0") {
    if (!Array.isArray(value) || value.length < 5)
      throw new FrameRefused("a frame is not an array");
    const [joinRef, ref, topic, event, payload] = value;
    return checked({ joinRef, ref, topic, event, payload, bytes: bytes.length });
  }
  if (typeof value !== "object" || value === null)
    throw new FrameRefused("a frame is not an object");
  const { join_ref, ref, topic, event, payload } = value as Record<string, unknown>;
  return checked({ joinRef: join_ref, ref, topic, event, payload, bytes: bytes.length });
}

function checked(frame: Record<keyof Frame, unknown> & { bytes: number }): Received {
  const { topic, event, payload, bytes } = frame;
  if (typeof topic !== "string" || typeof event !== "string") {
    throw new FrameRefused("a frame lacks its topic or event");
  }
  const reference = (value: unknown) =>
    value === null || value === undefined ? null : String(value);
  const joinRef = reference(frame.joinRef);
  return { topic, event, joinRef, ref: reference(frame.ref), payload, bytes };
}

function readBinary(bytes: Buffer): Received {
  if (bytes[0] !== USER_BROADCAST_PUSH || bytes.length < 7) {
    throw new FrameRefused("a binary frame is not a broadcast");
  }
  const sizes = [...bytes.subarray(1, 6)];
  let at = 7;
  const [joinRef, ref, topic, event, meta] = sizes.map((size) => {
    at += size;
    return bytes.toString("utf8", at - size, at);
  }) as [string, string, string, string, string];
  if (at > bytes.length) throw new FrameRefused("a binary frame is shorter than its header says");
  const payload: Broadcast = {
    form: "user",
    event,
    encoding: bytes[6] === 0 ? "binary" : "json",
    bytes: bytes.subarray(at),
  };
  if (meta !== "" && !isJson(meta)) {
    throw new FrameRefused("a binary frame's metadata is not JSON");
  }
  return {
    joinRef: joinRef || null,
    ref: ref || null,
    topic,
    event: "broadcast",
    payload,
    bytes: bytes.length,
  };
}

/** Returns a text frame; the payload is JSON text already. */
export function writeText(
  version: Version,
  frame: Omit<Frame, "payload">,
  payloadJson: string,
): string {
  const { joinRef, ref, topic, event } = frame;
  if (version === "2.0.0") {
    const head = JSON.stringify([joinRef, ref, topic, event]);
    return `${head.slice(0, -1)},${payloadJson}]`;
  }
  const head = JSON.stringify({ topic, event, ref });
  return `${head.slice(0, -1)},"payload":${payloadJson}}`;
}

/** Returns a broadcast for a client of `version`; null if its protocol cannot carry it. */
export function writeBroadcast(
  version: Version,
  topic: string,
  broadcast: Broadcast,
  joinRef: string | null = null,
): string | Buffer | null {
  const frame = { joinRef, ref: null, topic, event: "broadcast" };
  if (broadcast.form === "map") {
    return writeText(version, frame, JSON.stringify(broadcast.payload));
  }
  const { event, encoding, bytes } = broadcast;
  const meta = broadcast.meta ? JSON.stringify(broadcast.meta) : "";
  const head = [topic, event, meta].map((text) => Buffer.from(text));
  const sizes = head.map((part) => part.length);
  if (version === "2.0.0" && sizes.every((size) => size <= 255)) {
    const kind = Buffer.from([USER_BROADCAST, ...sizes, encoding === "json" ? 1 : 0]);
    return Buffer.concat([kind, ...head, bytes]);
  }
  const payload = bytes.toString("utf8");
  // The sender may declare invalid JSON as JSON, and could so add fields to the frame.
  if (encoding === "binary" || !isJson(payload)) return null;
  const rest = meta === "" ? "" : `,"meta":${meta}`;
  const body = `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${payload}${rest}}`;
  return writeText(version, frame, body);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
