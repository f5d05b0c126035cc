import type { RawData } from "ws";

/** The serializers a client may ask for with `vsn`. */
export type Version = "1.0.0" | "2.0.0";

/** One message of the Phoenix protocol. */
export interface Frame {
  joinRef: string | null;
  ref: string | null;
  topic: string;
  event: string;
  payload: unknown;
}

/** One that came: how long it was on the wire, too. */
export interface Received extends Frame {
  bytes: number;
}

/** As hosted: what a broadcast or a presence may be long, and something for its envelope. */
export const LARGEST_PAYLOAD_BYTES = 3_000_000 + 500;

/** A broadcast: the map of a text frame, passed on as it came, or the event and bytes of a binary one. */
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

/** A client sent something that is no frame of its protocol. */
export class FrameRefused extends Error {
  override name = "FrameRefused";
}

/** Reads what a client sent. A binary broadcast's payload is a `Broadcast`. Throws `FrameRefused`. */
export function readFrame(raw: RawData, binary: boolean, version: Version): Received {
  // `ws` hands over one Buffer unless told otherwise.
  const bytes = raw as Buffer;
  if (binary && version === "2.0.0") return readBinary(bytes);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new FrameRefused("a frame is not JSON");
  }
  if (version === "2.0.0") {
    if (!Array.isArray(value) || value.length < 5) throw new FrameRefused("a frame is no array");
    const [joinRef, ref, topic, event, payload] = value;
    return checked({ joinRef, ref, topic, event, payload, bytes: bytes.length });
  }
  if (typeof value !== "object" || value === null) throw new FrameRefused("a frame is no object");
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
    throw new FrameRefused("a binary frame is no broadcast");
  }
  const sizes = [...bytes.subarray(1, 6)];
  let at = 7;
  const [joinRef, ref, topic, event, meta] = sizes.map((size) => {
    at += size;
    return bytes.toString("utf8", at - size, at);
  }) as [string, string, string, string, string];
  if (at > bytes.length) throw new FrameRefused("a binary frame is shorter than it says");
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

/** The text frame for `payload`, which is JSON already. */
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

/** A broadcast as a client of `version` reads it; null where its protocol cannot carry it. */
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
  // A sender may call something JSON that is none, and could so write other fields of the frame.
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
