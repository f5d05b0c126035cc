// Souk on a project with asymmetric signing keys, as new projects have them: only Auth can sign, and the functions get
// the public key from the project. The key is created here and never leaves the test.
import { decodeProtectedHeader, exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../eventually.js";
import { openPlace, type StackDatabase } from "../place.js";
import {
  call,
  listProduct,
  must,
  openReceiver,
  openTestTenant,
  orderFor,
  supabaseAs,
  type TestTenant,
} from "../souk.js";
import { type RunningStack, startStack } from "../stack.js";

let place: StackDatabase;
let stack: RunningStack;
let testTenant: TestTenant;
/** The public key as text. */
let publicKey: string;

/** The same project with signing keys. */
beforeAll(async () => {
  const pair = await generateKeyPair("ES256", { extractable: true });
  publicKey = await exportSPKI(pair.publicKey);
  const jwk = { ...(await exportJWK(pair.privateKey)), kid: "the-first", alg: "ES256", use: "sig" };
  place = await openPlace();
  const keys = `[auth]\nsigning_keys_path = "./signing_keys.json"\n`;
  stack = await startStack(place.options, {
    functions: ["api", "auth", "webhook-dispatch"],
    configure: (config) => config.replace("[auth]\n", keys),
    files: { "signing_keys.json": JSON.stringify([jwk]) },
  });
  testTenant = await openTestTenant(stack);
});

afterAll(async () => {
  await stack?.stop();
  await place?.drop();
});

describe("a project with signing keys", () => {
  it("signs its tokens with them, and accepts them at every entry point", async () => {
    const { supplier, customer, operator } = testTenant;
    expect(decodeProtectedHeader(customer.token)).toMatchObject({ alg: "ES256", kid: "the-first" });
    const receiver = await openReceiver();
    try {
      const body = { url: receiver.url, events: ["order.created"] };
      await must("POST", "/api/webhooks", { as: operator, body, stack });
      const product = await listProduct(supplier, {}, stack);
      const order = await must("POST", "/api/orders", {
        as: customer,
        body: orderFor(product),
        stack,
      });
      const { data } = await supabaseAs(customer, stack).from("orders").select("id").throwOnError();
      expect(data).toEqual([{ id: order.id }]);
      // The dispatcher is woken with a key without a signature.
      await eventually(() => expect(receiver.received).toHaveLength(1));
    } finally {
      await receiver.close();
    }
  });

  it("refuses a token signed with public data", async () => {
    const { customer, operator } = testTenant;
    const forged = await new SignJWT({ role: "authenticated" })
      .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: "the-first" })
      .setSubject(operator.id)
      .setAudience("authenticated")
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode(publicKey));
    expect((await call("GET", "/auth/me", { as: forged, stack })).status).toBe(401);
    const { error } = await supabaseAs({ ...customer, token: forged }, stack)
      .from("orders")
      .select();
    expect(error?.code).toBe("PGRST301");
    expect((await supabaseAs(undefined, stack).auth.getUser(forged)).error?.status).toBe(403);
  });
});
