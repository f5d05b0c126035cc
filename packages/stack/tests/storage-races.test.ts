import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Queryable } from "../src/db/database.js";
import { holdRequest } from "./held-request.js";
import { openStage, type Stage, servers } from "./storage-stage.js";

// What two do at once to one name.

describe.each(servers)("on %s", (server) => {
  let stage: Stage;
  let bucket: string;
  let from: ReturnType<Stage["admin"]["from"]>;

  beforeAll(async () => {
    stage = await openStage(server);
    bucket = await stage.bucket({ public: true });
    from = stage.admin.from(bucket);
  });
  afterAll(() => stage.stop());

  const rounds = Array.from({ length: 15 }, (_, n) => n);
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
  const upsert = (name: string, round: number) =>
    from.upload(name, `${drawing}${" ".repeat(round)}`, {
      contentType: "image/svg+xml",
      upsert: true,
    });

  it("whoever reads what is being replaced finds the old or the new", async () => {
    await upsert("read", 0);
    const { data } = await from.createSignedUrl("read", 60);
    const signed = data!.signedUrl.split("/storage/v1")[1]!;
    const doors = [
      `/object/${bucket}/read`,
      signed,
      `/render/image/public/${bucket}/read?width=8`,
      `/render/image/public/${bucket}/read?width=8&format=webp`,
    ];
    for (const round of rounds) {
      const writing = [1, 2, 3, 4].map(() => upsert("read", round));
      const reading = doors.flatMap((door) =>
        [1, 2, 3, 4].map(async () => ({ door, status: (await stage.http(door)).status })),
      );
      const copying = [1, 2, 3].map((n) => from.copy("read", `copy-${round}-${n}`));
      for (const { error } of await Promise.all(writing)) expect(error).toBeNull();
      for (const { door, status } of await Promise.all(reading)) {
        expect({ door, status }).toEqual({ door, status: 200 });
      }
      for (const { error } of await Promise.all(copying)) expect(error).toBeNull();
    }
  });

  it("what is moved while its name is taken again keeps its bytes", async () => {
    await upsert("here", 0);
    const send = holdRequest(
      "PUT",
      `${stage.url}/storage/v1/object/${bucket}/here`,
      { authorization: `Bearer ${stage.keys.serviceRoleKey}`, "content-length": "3" },
      "ne",
    );
    const incoming = join(stage.folder, "incoming");
    await vi.waitFor(async () => expect(await readdir(incoming)).toHaveLength(1));
    const work: Promise<unknown>[] = [];
    const hold = async (tx: Queryable) => {
      await tx.query("select from storage.objects where name = 'here' for update");
      work.push(from.move("here", "there"));
      await setTimeout(300);
      work.push(send("w"));
      await setTimeout(300);
    };
    // On PGlite nobody waits for a row, and whoever holds a transaction holds up all.
    if (server === "pglite") work.push(from.move("here", "there"), send("w"));
    else await stage.db.transaction({}, hold);
    expect(await Promise.all(work)).toEqual([expect.objectContaining({ error: null }), 200]);
    expect(await (await from.download("here")).data!.text()).toBe("new");
    expect(await (await from.download("there")).data!.text()).toBe(drawing);
    const { data } = await from.list();
    expect(await stage.files()).toHaveLength(data!.length);
  });
});
