import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { signedHeaders } from "../../../supabase/functions/_shared/webhooks/sign.ts";
import {
  type ReceivedWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from "../src/verify-webhook.js";

const event = {
  event: "order.created",
  timestamp: "2026-11-21T10:00:00.000Z",
  data: { order: {} },
};
const payload = JSON.stringify({ ...event, data: { order: { name: "Café ☕" } } });
const SECRET = "a secret of more than 16 characters";
const STANDARD_SECRET = `whsec_${Buffer.from("24 bytes of a random key").toString("base64")}`;

/** A delivery as Souk sends it, with what a test changes. */
function delivered(change: Partial<ReceivedWebhook> = {}, sentAt = new Date()): ReceivedWebhook {
  const secret = change.secret ?? SECRET;
  const id = randomUUID();
  return {
    payload,
    headers: signedHeaders({ id, event: event.event, body: payload, secret }, sentAt),
    secret,
    ...change,
  };
}

function without(received: ReceivedWebhook, ...names: string[]): ReceivedWebhook {
  const headers = Object.entries(received.headers).filter(([name]) => !names.includes(name));
  return { ...received, headers: Object.fromEntries(headers) };
}

function replacing(received: ReceivedWebhook, headers: Record<string, string>): ReceivedWebhook {
  return { ...received, headers: { ...(received.headers as Record<string, string>), ...headers } };
}

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);

async function refuses(received: ReceivedWebhook, message: string) {
  const error = await verifyWebhook(received).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(WebhookVerificationError);
  expect(error.message).toContain(message);
  expect(error.message).not.toContain(received.secret || "?");
}

describe("verifyWebhook", () => {
  it.each([
    SECRET,
    STANDARD_SECRET,
  ])("answers the event of a delivery of Souk's", async (secret) => {
    expect(await verifyWebhook(delivered({ secret }))).toEqual(JSON.parse(payload));
  });

  it("takes the payload as text or bytes, and headers in any form", async () => {
    const received = delivered();
    const bytes = new TextEncoder().encode(payload);
    const headers = received.headers as Record<string, string>;
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]);
    for (const one of [
      { payload: bytes },
      { payload: Buffer.from(payload) },
      { payload: bytes.buffer },
      { headers: new Headers(headers) },
      { headers: Object.fromEntries(upper) },
      { headers: Object.fromEntries(lower) },
    ]) {
      expect(await verifyWebhook({ ...received, ...one })).toEqual(JSON.parse(payload));
    }
  });

  it("refuses another payload, another secret, no secret", async () => {
    await refuses({ ...delivered(), payload: `${payload} ` }, "does not fit the payload");
    await refuses({ ...delivered(), secret: `${SECRET}.` }, "does not fit the payload");
    await refuses({ ...delivered(), secret: "" }, "no secret");
  });

  it("refuses a signature that is missing or malformed", async () => {
    await refuses(without(delivered(), "X-Webhook-Signature"), "missing or malformed");
    const hex = "0".repeat(64);
    for (const value of ["", hex, `sha1=${hex}`, `sha256=${hex}0`, "sha256=", `sha256=${hex}, x`]) {
      await refuses(replacing(delivered(), { "X-Webhook-Signature": value }), "malformed");
    }
    const zeros = replacing(delivered(), { "X-Webhook-Signature": `sha256=${hex}` });
    await refuses(zeros, "does not fit");
  });

  it("refuses what was sent too long ago, or is yet to be sent", async () => {
    await refuses(delivered({}, secondsAgo(310)), "too far from now");
    await refuses(delivered({}, secondsAgo(-310)), "too far from now");
    await verifyWebhook(delivered({}, secondsAgo(290)));
    await verifyWebhook(delivered({ toleranceSeconds: 400 }, secondsAgo(310)));
    await refuses(delivered({ toleranceSeconds: 10 }, secondsAgo(20)), "too far from now");
  });

  it("believes no time of sending that is not signed", async () => {
    const old = delivered({}, secondsAgo(4000));
    const now = String(Math.floor(Date.now() / 1000));
    await refuses(replacing(old, { "webhook-timestamp": now }), "its time");
    await refuses(replacing(delivered(), { "webhook-id": "another" }), "its time");
    await refuses(without(delivered(), "webhook-signature"), "its time");
    await refuses(without(delivered(), "webhook-id"), "its time");
    await refuses(replacing(delivered(), { "webhook-timestamp": "soon" }), "malformed");
  });

  it("takes one right signature among several", async () => {
    const received = delivered();
    const right = (received.headers as Record<string, string>)["webhook-signature"];
    const other = `v1,${Buffer.alloc(32).toString("base64")}`;
    await verifyWebhook(replacing(received, { "webhook-signature": `v1a,x ${other} ${right}` }));
    await refuses(replacing(received, { "webhook-signature": other }), "its time");
  });

  it("wants the time of sending, unless told that it need not be there", async () => {
    const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    const bare = without(delivered({}, secondsAgo(4000)), ...names);
    await refuses(bare, "webhook-timestamp is missing");
    await verifyWebhook({ ...bare, requireTimestamp: false });
  });

  it("refuses what is signed and no JSON", async () => {
    const body = "not JSON";
    const headers = signedHeaders({ id: "d1", event: "e", body, secret: SECRET }, new Date());
    await refuses({ payload: body, headers, secret: SECRET }, "not JSON");
  });
});
