import { createHmac } from "node:crypto";
import { decodeProtectedHeader, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { readConfig } from "../src/config.js";
import { createKeys, readKeys } from "../src/keys.js";
import { makeProject, removeProject } from "./project.js";

const now = () => Math.floor(Date.now() / 1000);

/** A private key as `supabase gen signing-key` writes it. */
async function signingKey(alg: "ES256" | "RS256", kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, kid, use: "sig", key_ops: ["sign", "verify"] };
}

describe("by default", () => {
  test("the keys are those of `supabase start`: API keys by the secret, tokens by a signing key", async () => {
    const keys = await createKeys();
    expect(keys.publishableKey).toMatch(/^sb_publishable_/);
    expect(keys.secretKey).toMatch(/^sb_secret_/);
    expect(decodeProtectedHeader(keys.anonKey)).toEqual({ alg: "HS256", typ: "JWT" });
    expect(await keys.verify(keys.anonKey)).toEqual({
      iss: "supabase-demo",
      role: "anon",
      exp: 1983812996,
    });
    const { alg, kid } = decodeProtectedHeader(await keys.sign({ role: "authenticated" }));
    expect(keys.jwks.keys).toMatchObject([{ kty: "EC", alg: "ES256", kid }]);
    expect(alg).toBe("ES256");
    expect(keys.jwks.keys[0]).not.toHaveProperty("d");
  });

  test("a token's times are checked at each use, with the caller's leeway", async () => {
    const keys = await createKeys();
    const expired = await keys.sign({ role: "anon", exp: now() - 10 });
    await expect(keys.verify(expired)).rejects.toMatchObject({ reason: "expired" });
    expect(await keys.verify(expired, { leeway: 30 })).toMatchObject({ role: "anon" });
    await expect(keys.verify(expired)).rejects.toMatchObject({ reason: "expired" });
    const early = await keys.sign({ role: "anon", nbf: now() + 10 });
    await expect(keys.verify(early)).rejects.toMatchObject({ reason: "invalid" });
    expect(await keys.verify(early, { leeway: 30 })).toMatchObject({ role: "anon" });
  });
});

describe("with signing keys", () => {
  test("the first signs, all verify by kid, and the secret still verifies", async () => {
    const [es, rs] = [await signingKey("ES256", "first"), await signingKey("RS256", "second")];
    const keys = await createKeys([es, rs]);
    const token = await keys.sign({ role: "authenticated" });
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: "ES256", kid: "first" });
    expect(decodeProtectedHeader(keys.serviceRoleKey)).toMatchObject({ kid: "first" });
    expect(await keys.verify(token)).toEqual({ role: "authenticated" });
    const other = await createKeys([rs]);
    expect(await keys.verify(await other.sign({ role: "anon" }))).toEqual({ role: "anon" });
    expect(await keys.verify((await createKeys()).anonKey)).toMatchObject({ role: "anon" });
    await expect(other.verify(token)).rejects.toMatchObject({ reason: "invalid" });

    expect(keys.jwks.keys).toMatchObject([{ kid: "first" }, { kid: "second" }]);
    expect(JSON.stringify(keys.jwks)).not.toMatch(/"(d|p|q|dp|dq|qi)"/);
  });

  test("a token that confuses keys and algorithms is refused", async () => {
    const rs = await signingKey("RS256", "one");
    const keys = await createKeys([rs]);
    const [body] = (await keys.sign({ role: "service_role" })).split(".").slice(1);
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const forge = (header: object, secret: string) => {
      const text = `${encode(header)}.${body}`;
      return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
    };
    const [half] = keys.jwks.keys;
    const forged = [
      forge({ alg: "HS256", kid: "one" }, JSON.stringify(half)),
      forge({ alg: "HS256", kid: "one" }, half?.n as string),
      forge({ alg: "RS256", kid: "one" }, half?.n as string),
      forge({ alg: "RS256", kid: "other" }, keys.jwtSecret),
      `${encode({ alg: "none" })}.${body}.`,
      `${encode({ alg: "none", kid: "one" })}.${body}.AAAA`,
      `${encode({ alg: "ES256", kid: "one" })}.${body}.AAAA`,
      "a.b.c",
      "",
    ];
    for (const token of forged) {
      await expect(keys.verify(token)).rejects.toMatchObject({ reason: "invalid" });
    }
    const { privateKey } = await generateKeyPair("RS256");
    const foreign = new SignJWT({}).setProtectedHeader({ alg: "RS256", kid: "one" });
    await expect(keys.verify(await foreign.sign(privateKey))).rejects.toMatchObject({
      reason: "invalid",
    });
  });

  test("they are read from the config's file, and errors in it are reported without the key", async () => {
    const key = await signingKey("ES256", "mine");
    const root = await makeProject({
      "supabase/config.toml": '[auth]\nsigning_keys_path = "./signing_keys.json"\n',
      "supabase/signing_keys.json": JSON.stringify([key]),
    });
    const keys = await readKeys(await readConfig(root));
    expect(keys.jwks.keys).toMatchObject([{ kid: "mine", kty: "EC", alg: "ES256" }]);
    await removeProject(root);

    for (const text of [
      `[{"d": "${key.d}"}]`,
      `{"d": "${key.d}`,
      JSON.stringify([{ ...key, x: "AA" }]),
    ]) {
      const broken = await makeProject({
        "supabase/config.toml": '[auth]\nsigning_keys_path = "./signing_keys.json"\n',
        "supabase/signing_keys.json": text,
      });
      const message = await readKeys(await readConfig(broken)).catch((error) => String(error));
      expect(message).toContain("supabase gen signing-key");
      expect(message).not.toContain(key.d);
      await removeProject(broken);
    }
  });
});
