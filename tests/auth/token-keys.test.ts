import { createHmac, randomBytes } from "node:crypto";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import { ownStack } from "../own-stack.js";
import { openTestTenant, supabaseAs, supabaseAsService } from "../souk.js";

const keyOf = async (name: string) => {
  const sql = "select encode(key, 'hex') as key from private.signing_keys where name = $1";
  return (await query<{ key: string }>(sql, [name]))[0]?.key as string;
};
const newKey = () => randomBytes(32).toString("hex");

describe("the keys of tokens", () => {
  it("can be given until the first tenant exists, and sign the same in every project", async () => {
    const names = await query<{ name: string }>(
      "select name from private.signing_keys order by name",
    );
    expect(names.map(({ name }) => name)).toEqual([
      "functions",
      "invitations",
      "mails",
      "promotions",
    ]);
    const key = newKey();
    const signature = createHmac("sha256", Buffer.from(key, "hex")).update("an id").digest("hex");
    const db = new pg.Client({ connectionString: ownStack.db_url as string });
    await db.connect();
    try {
      await db.query("begin");
      await db.query("set local session_replication_role = replica");
      await db.query("delete from public.tenants");
      for (const { name } of names) {
        await db.query("select public.set_signing_key($1, $2)", [name, key]);
        const signed = "select encode(private.signed($1, 'an id'), 'hex') as signed";
        expect((await db.query(signed, [name])).rows).toEqual([{ signed: signature }]);
      }
      await db.query("rollback");
    } finally {
      await db.end();
    }
  });

  it("are not replaced once there are tenants, whose tokens stay valid", async () => {
    await openTestTenant();
    const present = await keyOf("invitations");
    const service = supabaseAsService();
    const refused = await service.rpc("set_signing_key", { name: "invitations", key: newKey() });
    expect(refused.error).toMatchObject({ message: "CONFLICT" });
    // A script that sets the keys can run again.
    const again = await service.rpc("set_signing_key", { name: "invitations", key: present });
    expect(again.error).toBeNull();
    expect(await keyOf("invitations")).toBe(present);
  });

  it("must have a known name and a length, and are in no message", async () => {
    const service = supabaseAsService();
    const key = newKey();
    for (const [field, input] of Object.entries({
      name: { name: "payments", key },
      key: { name: "mails", key: key.slice(2) },
    })) {
      const { error } = await service.rpc("set_signing_key", input);
      expect(error?.message).toBe("VALIDATION_ERROR");
      expect(JSON.parse(error?.details as string)).toMatchObject({ field });
      expect(JSON.stringify(error)).not.toContain(key.slice(2));
    }
  });

  it("are set with the secret key only", async () => {
    const { operator } = await openTestTenant();
    for (const person of [operator, undefined]) {
      const { error } = await supabaseAs(person).rpc("set_signing_key", {
        name: "mails",
        key: newKey(),
      });
      expect(error?.code).toBe("42501");
    }
  });
});
