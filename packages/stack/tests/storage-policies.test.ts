import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneServer } from "./servers.js";
import { openStage, type Stage } from "./storage-stage.js";

describe.each(oneServer)("the policies of Storage on %s", (server) => {
  let stage: Stage;
  let bucket: string;
  beforeAll(async () => {
    stage = await openStage("", server);
    bucket = await stage.bucket();
    await stage.admin.from(bucket).upload("shared/x", "old");
  });
  afterAll(() => stage.stop());

  /** A user with policies for these commands only. */
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

  it("allow nothing to a user without a policy", async () => {
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

  it("allow an upload, and no download or upsert, with an INSERT policy alone", async () => {
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

  it("allow an upsert and a move with SELECT and UPDATE policies besides INSERT", async () => {
    const { from } = await userWho("insert", "select", "update");
    expect((await from.upload("upserted", "x", { upsert: true })).error).toBeNull();
    expect((await from.upload("upserted", "y", { upsert: true })).error).toBeNull();
    expect(await (await from.download("upserted")).data?.text()).toBe("y");
    expect((await from.remove(["upserted"])).data).toEqual([]);
    expect((await from.move("upserted", "renamed")).error).toBeNull();
  });

  it("allow a download and its signed URL, and no removal or upload, with a SELECT policy alone", async () => {
    const { from } = await userWho("select");
    const { data } = await from.createSignedUrl("shared/x", 60);
    expect(await (await fetch(data!.signedUrl)).text()).toBe("old");
    expect((await from.remove(["shared/x"])).data).toEqual([]);
    expect((await from.upload("x", "x")).error).toMatchObject(denied);
    expect((await from.copy("shared/x", "copied")).error).toMatchObject(denied);
  });

  it("refuse every operation below the prefix of another tenant", async () => {
    const [tenant, other] = [randomUUID(), randomUUID()];
    const inFolder = `bucket_id = '${bucket}'
      and (storage.foldername(name))[1] = (select auth.jwt() ->> 'tenant_id')
      and (select auth.jwt() ->> 'tenant_id') = '${tenant}'`;
    await stage.db.execute(
      `create policy "${tenant}" on storage.objects for all to authenticated
       using (${inFolder}) with check (${inFolder})`,
    );
    const admin = stage.admin.from(bucket);
    await admin.upload(`${other}/theirs`, "theirs");
    const claims = { role: "authenticated", sub: randomUUID(), tenant_id: tenant };
    const from = (await stage.with(claims)).from(bucket);
    expect((await from.upload(`${tenant}/own`, "own")).error).toBeNull();

    for (const name of [`${other}/new`, `${other}/theirs`, `${tenant}x/new`, "new"]) {
      for (const options of [{}, { upsert: true }]) {
        expect((await from.upload(name, "evil", options)).error, name).not.toBeNull();
      }
      expect((await from.move(`${tenant}/own`, name)).error, name).not.toBeNull();
      expect((await from.copy(`${tenant}/own`, name)).error, name).not.toBeNull();
      expect((await from.createSignedUploadUrl(name)).error, name).not.toBeNull();
    }
    const theirs = `${other}/theirs`;
    expect((await from.update(theirs, "evil")).error).not.toBeNull();
    expect((await from.move(theirs, `${tenant}/moved`)).error).not.toBeNull();
    expect((await from.copy(theirs, `${tenant}/copied`)).error).not.toBeNull();
    expect((await from.createSignedUrl(theirs, 9)).error).not.toBeNull();
    expect((await from.createSignedUrls([theirs], 9)).data?.[0]?.signedUrl).toBeNull();
    expect((await from.download(theirs)).error).not.toBeNull();
    expect((await from.info(theirs)).error).not.toBeNull();
    expect((await from.list(other)).data).toEqual([]);
    expect((await from.listV2({ prefix: other })).data?.objects).toEqual([]);
    expect((await from.remove([theirs])).data).toEqual([]);
    expect((await from.list(tenant)).data?.map(({ name }) => name)).toEqual(["own"]);
    expect((await admin.list(other)).data?.map(({ name }) => name)).toEqual(["theirs"]);
    expect(await (await admin.download(theirs)).data?.text()).toBe("theirs");
  });

  it("can read the operation, the content type and the length", async () => {
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

  it("apply to the roles of tokens, and no SQL deletes rows of Storage", async () => {
    await expect(
      stage.db.run({ role: "service_role" }, "delete from storage.objects"),
    ).rejects.toMatchObject({ code: "42501" });
    await expect(stage.db.run({}, "delete from storage.buckets")).rejects.toMatchObject({
      code: "42501",
    });
    for (const role of ["supabase_storage_admin", "postgres", "no_such_role"]) {
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
