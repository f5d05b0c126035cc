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
const STRANGE = "a secret of somebody else's";

/**
 * The headers of a delivery. While the secret is being changed, they contain the previous one's
 * signature too.
 */
function signed(body: string, secrets: string[], sentAt = new Date()): Record<string, string> {
  return signedHeaders({ id: randomUUID(), event: event.event, body, secrets }, sentAt);
}

/** A delivery as Souk sends it, with the changes of a test. */
function delivered(change: Partial<ReceivedWebhook> = {}, sentAt = new Date()): ReceivedWebhook {
  const secrets = [change.secret ?? SECRET].flat();
  return { payload, headers: signed(payload, secrets, sentAt), secret: secrets, ...change };
}

function without(received: ReceivedWebhook, ...names: string[]): ReceivedWebhook {
  const headers = Object.entries(received.headers).filter(([name]) => !names.includes(name));
  return { ...received, headers: Object.fromEntries(headers) };
}

function replacing(received: ReceivedWebhook, headers: Record<string, string>): ReceivedWebhook {
  return { ...received, headers: { ...(received.headers as Record<string, string>), ...headers } };
}

const STANDARD_HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"];

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);

async function refuses(received: ReceivedWebhook, message: string) {
  const error = await verifyWebhook(received).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(WebhookVerificationError);
  expect(error.message).toContain(message);
  for (const secret of [received.secret].flat()) expect(error.message).not.toContain(secret || "?");
}

describe("verifyWebhook", () => {
  it.each([SECRET, STANDARD_SECRET])("returns the event of a valid delivery", async (secret) => {
    expect(await verifyWebhook(delivered({ secret }))).toEqual(JSON.parse(payload));
  });

  it("accepts the payload as text or bytes, and headers in any form", async () => {
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
    await refuses({ ...delivered(), payload: `${payload} ` }, "does not match the payload");
    await refuses({ ...delivered(), secret: `${SECRET}.` }, "does not match the payload");
    for (const secret of ["", [], ["", ""]]) {
      await refuses({ ...delivered(), secret }, "secret is empty");
    }
    for (const secret of ["whsec_", "whsec_?"]) {
      const refused = expect(verifyWebhook({ ...delivered(), secret })).rejects;
      await refused.toThrow(
        new WebhookVerificationError("the secret is not valid base64 after whsec_"),
      );
    }
  });

  describe("while the secret is being changed", () => {
    const both = [SECRET, STANDARD_SECRET];
    const changing = () => ({ ...delivered(), headers: signed(payload, both) });

    it.each([
      ["the new one", SECRET],
      ["the previous one", STANDARD_SECRET],
      ["both", both],
      ["one of them, among others", ["", STRANGE, STANDARD_SECRET]],
    ])("accepts the signatures of both if %s is given", async (_, secret) => {
      expect(await verifyWebhook({ ...changing(), secret })).toEqual(JSON.parse(payload));
      const bare = { ...without(changing(), ...STANDARD_HEADERS), requireTimestamp: false };
      expect(await verifyWebhook({ ...bare, secret })).toEqual(JSON.parse(payload));
    });

    it("accepts the signature of either secret if both are given", async () => {
      for (const secret of both) {
        const headers = signed(payload, [secret]);
        expect(await verifyWebhook({ payload, headers, secret: both })).toEqual(
          JSON.parse(payload),
        );
      }
    });

    it("refuses if no given secret has signed", async () => {
      await refuses({ ...changing(), secret: STRANGE }, "does not match");
      await refuses({ ...delivered({ secret: STRANGE }), secret: both }, "does not match");
      const bare = { ...without(changing(), ...STANDARD_HEADERS), requireTimestamp: false };
      await refuses({ ...bare, secret: STRANGE }, "does not match");
      await refuses({ ...bare, payload: `${payload} ` }, "does not match");
    });
  });

  it("accepts the signature of the body in either header", async () => {
    const secret = STANDARD_SECRET;
    const bare = without(delivered({ secret }), ...STANDARD_HEADERS);
    const { "X-Webhook-Signature": signature = "" } = bare.headers as Record<string, string>;
    const previous = { payload, headers: { "X-Webhook-Signature-Previous": signature }, secret };
    await verifyWebhook({ ...previous, requireTimestamp: false });
    await refuses(previous, "webhook-timestamp is missing");
  });

  it("needs no signature of the body alone if that of body and time matches", async () => {
    await verifyWebhook(without(delivered(), "X-Webhook-Signature"));
  });

  it("refuses a signature that is missing or malformed", async () => {
    const bare = without(delivered({ requireTimestamp: false }), ...STANDARD_HEADERS);
    await refuses(without(bare, "X-Webhook-Signature"), "missing or malformed");
    const hex = "0".repeat(64);
    for (const value of ["", hex, `sha1=${hex}`, `sha256=${hex}0`, "sha256=", `sha256=${hex}, x`]) {
      await refuses(replacing(delivered(), { "X-Webhook-Signature": value }), "malformed");
    }
    const zeros = replacing(delivered(), { "X-Webhook-Signature": `sha256=${hex}` });
    await refuses(zeros, "does not match");
  });

  it("refuses a delivery sent too long ago or in the future", async () => {
    await refuses(delivered({}, secondsAgo(310)), "too far from now");
    await refuses(delivered({}, secondsAgo(-310)), "too far from now");
    await verifyWebhook(delivered({}, secondsAgo(290)));
    await verifyWebhook(delivered({ toleranceSeconds: 400 }, secondsAgo(310)));
    await refuses(delivered({ toleranceSeconds: 10 }, secondsAgo(20)), "too far from now");
  });

  it("ignores an unsigned time", async () => {
    const old = delivered({}, secondsAgo(4000));
    const now = String(Math.floor(Date.now() / 1000));
    await refuses(replacing(old, { "webhook-timestamp": now }), "its time");
    await refuses(replacing(delivered(), { "webhook-id": "another" }), "its time");
    await refuses(without(delivered(), "webhook-signature"), "its time");
    await refuses(without(delivered(), "webhook-id"), "its time");
    await refuses(replacing(delivered(), { "webhook-timestamp": "soon" }), "malformed");
  });

  it("accepts one valid signature among several", async () => {
    const received = delivered();
    const right = (received.headers as Record<string, string>)["webhook-signature"];
    const other = `v1,${Buffer.alloc(32).toString("base64")}`;
    await verifyWebhook(replacing(received, { "webhook-signature": `v1a,x ${other} ${right}` }));
    await refuses(replacing(received, { "webhook-signature": other }), "its time");
  });

  it("requires the time, unless requireTimestamp is false", async () => {
    const bare = without(delivered({}, secondsAgo(4000)), ...STANDARD_HEADERS);
    await refuses(bare, "webhook-timestamp is missing");
    await verifyWebhook({ ...bare, requireTimestamp: false });
  });

  it("refuses a signed payload that is not JSON", async () => {
    const body = "not JSON";
    await refuses({ payload: body, headers: signed(body, [SECRET]), secret: SECRET }, "not JSON");
  });
});
