import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStage, type Stage, servers } from "./storage-stage.js";

describe.each(servers)("policies of Storage on %s", (server) => {
  let stage: Stage;
  let bucket: string;
  beforeAll(async () => {
    stage = await openStage(server);
    bucket = await stage.bucket();
    await stage.admin.from(bucket).upload("shared/x", "old");
  });
  afterAll(() => stage.stop());

  /** A user who may do these things, and nothing else. */
  async function userWho(...may: ("select" | "insert" | "update" | "delete")[]) {
    const user = randomUUID();
    for (const command of may) {
      const clause = command === "insert" ? "with check" : "using";
      await stage.db.execute(
        `create policy "${user} ${command}" on storage.objects for ${command} to authenticated
         ${clause} (bucket_id = '${bucket}' and (select auth.uid()) = '${user}')`,
      );
    }
    const client = await stage.as(user);
    return { user, from: client.from(bucket), client };
  }

  const denied = { statusCode: "403", message: "new row violates row-level security policy" };

  it("without a policy nothing is seen, and nothing done", async () => {
    const { from, client } = await userWho();
    expect((await from.upload("mine", "x")).error).toMatchObject(denied);
    expect((await from.download("shared/x")).error).toMatchObject({ status: 400 });
    expect((await from.info("shared/x")).error).toMatchObject({ message: "Object not found" });
    expect((await from.list()).data).toEqual([]);
    expect((await from.remove(["shared/x"])).data).toEqual([]);
    expect((await from.move("shared/x", "y")).error).toMatchObject({ statusCode: "404" });
    expect((await from.copy("shared/x", "y")).error).toMatchObject({ statusCode: "404" });
    expect((await from.createSignedUrl("shared/x", 9)).error).toMatchObject({ statusCode: "404" });
    expect((await from.createSignedUrls(["shared/x"], 9)).data?.[0]?.signedUrl).toBeNull();
    expect((await from.createSignedUploadUrl("y")).error).toMatchObject(denied);
    expect((await client.listBuckets()).data).toEqual([]);
    expect((await client.createBucket("b")).error).toMatchObject(denied);
    expect((await client.updateBucket(bucket, { public: true })).error).not.toBeNull();
    expect((await client.deleteBucket(bucket)).error).not.toBeNull();
    expect((await client.emptyBucket(bucket)).error).not.toBeNull();
  });

  it("who may insert may not see what they made, nor replace it", async () => {
    const { from, user } = await userWho("insert");
    expect((await from.upload("inserted", "x")).error).toBeNull();
    expect((await from.upload("inserted", "y")).error).toMatchObject({ statusCode: "409" });
    expect((await from.upload("inserted", "y", { upsert: true })).error).toMatchObject(denied);
    expect((await from.upload("fresh", "y", { upsert: true })).error).toMatchObject(denied);
    expect((await from.download("inserted")).error).not.toBeNull();
    const [row] = await stage.db.query(
      "select owner_id, owner from storage.objects where name = 'inserted'",
    );
    expect(row).toEqual({ owner_id: user, owner: user });
  });

  it("an upsert needs SELECT and UPDATE beside INSERT", async () => {
    const { from } = await userWho("insert", "select", "update");
    expect((await from.upload("upserted", "x", { upsert: true })).error).toBeNull();
    expect((await from.upload("upserted", "y", { upsert: true })).error).toBeNull();
    expect(await (await from.download("upserted")).data?.text()).toBe("y");
    expect((await from.remove(["upserted"])).data).toEqual([]);
    expect((await from.move("upserted", "renamed")).error).toBeNull();
  });

  it("who may select may sign for reading, and remove nothing", async () => {
    const { from } = await userWho("select");
    const { data } = await from.createSignedUrl("shared/x", 60);
    expect(await (await fetch(data!.signedUrl)).text()).toBe("old");
    expect((await from.remove(["shared/x"])).data).toEqual([]);
    expect((await from.upload("x", "x")).error).toMatchObject(denied);
    expect((await from.copy("shared/x", "copied")).error).toMatchObject(denied);
  });

  it("a policy reads the operation, the type and the length", async () => {
    const user = randomUUID();
    await stage.db.execute(
      `create policy "${user}" on storage.objects for insert to authenticated
       with check ((select auth.uid()) = '${user}' and storage.allow_only_operation('object.upload')
         and metadata ->> 'mimetype' = 'image/png' and (metadata ->> 'contentLength')::int < 10)`,
    );
    const from = (await stage.as(user)).from(bucket);
    expect((await from.upload("a.txt", "x", { contentType: "text/plain" })).error).not.toBeNull();
    expect(
      (await from.upload("b.png", "a long one", { contentType: "image/png" })).error,
    ).not.toBeNull();
    expect((await from.createSignedUploadUrl("c.png")).error).not.toBeNull();
    expect((await from.upload("a.png", "x", { contentType: "image/png" })).error).toBeNull();
  });

  it("SQL deletes nothing, a token of another role becomes nobody", async () => {
    await expect(
      stage.db.run({ role: "service_role" }, "delete from storage.objects"),
    ).rejects.toMatchObject({ code: "42501" });
    await expect(stage.db.run({}, "delete from storage.buckets")).rejects.toMatchObject({
      code: "42501",
    });
    for (const role of ["supabase_storage_admin", "postgres", "nobody_at_all"]) {
      const token = await stage.token({ role });
      const answer = await stage.http(`/object/list/${bucket}`, {
        token,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"prefix":""}',
      });
      expect(answer.ok, role).toBe(false);
    }
    const expired = await stage.token({ role: "service_role", exp: 1 });
    expect(await (await stage.http("/bucket", { token: expired })).json()).toMatchObject({
      statusCode: "403",
      message: '"exp" claim timestamp check failed',
    });
  });
});
