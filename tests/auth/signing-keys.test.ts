// Souk on a project with asymmetric signing keys, as new projects are made: nobody but Auth can sign, and
// the functions learn the public key from the project. The key is made here and never leaves the test.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { decodeProtectedHeader, exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type Bazaar,
  call,
  listProduct,
  must,
  openBazaar,
  openReceiver,
  orderFor,
  supabaseAs,
} from "../souk.js";
import { type RunningStack, startStack } from "../stack.js";

let root: string;
let stack: RunningStack;
let bazaar: Bazaar;
/** The public key as a text anybody can have. */
let publicKey: string;

/** The project as it is, but for its signing keys. */
beforeAll(async () => {
  root = await mkdtemp(join("tests", ".signing-keys-"));
  const folder = join(root, "supabase");
  await mkdir(folder);
  for (const name of ["functions", "migrations", "seed.sql"]) {
    await symlink(resolve("supabase", name), join(folder, name));
  }
  const config = await readFile("supabase/config.toml", "utf8");
  const keys = `[auth]\nsigning_keys_path = "./signing_keys.json"\n`;
  await writeFile(join(folder, "config.toml"), config.replace("[auth]\n", keys));

  const pair = await generateKeyPair("ES256", { extractable: true });
  publicKey = await exportSPKI(pair.publicKey);
  const jwk = { ...(await exportJWK(pair.privateKey)), kid: "the-first", alg: "ES256", use: "sig" };
  await writeFile(join(folder, "signing_keys.json"), JSON.stringify([jwk]));
  stack = await startStack(["--data", "memory"], root);
  bazaar = await openBazaar(stack);
}, 60_000);

afterAll(async () => {
  await stack?.stop();
  await rm(root, { recursive: true });
});

describe("a project with signing keys", () => {
  it("has its tokens signed by them, and sells through every door", async () => {
    const { supplier, customer, operator } = bazaar;
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
      // The dispatcher is woken with a key that no signature is in.
      await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000);
    } finally {
      await receiver.close();
    }
  });

  it("is not fooled by a token signed with what is public", async () => {
    const { customer, operator } = bazaar;
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
