import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import type { Queryable } from "../src/db/database.js";
import { holdRequest } from "./held-request.js";
import { oneServer } from "./servers.js";
import { openStage, type Stage } from "./storage-stage.js";

describe.each(oneServer)("concurrent requests for one name on %s", (server) => {
  let stage: Stage;
  let bucket: string;
  let from: ReturnType<Stage["admin"]["from"]>;

  beforeAll(async () => {
    stage = await openStage("", server);
    bucket = await stage.bucket({ public: true });
    from = stage.admin.from(bucket);
  });
  afterAll(() => stage.stop());

  const rounds = Array.from({ length: 8 }, (_, n) => n);
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
  const upsert = (name: string, round: number) =>
    from.upload(name, `${drawing}${" ".repeat(round)}`, {
      contentType: "image/svg+xml",
      upsert: true,
    });

  it("serve the old or the new version of an object that is being replaced", async () => {
    await upsert("read", 0);
    const { data } = await from.createSignedUrl("read", 60);
    const signed = data!.signedUrl.split("/storage/v1")[1]!;
    const paths = [
      `/object/${bucket}/read`,
      signed,
      `/render/image/public/${bucket}/read?width=8`,
      `/render/image/public/${bucket}/read?width=8&format=webp`,
    ];
    for (const round of rounds) {
      const writing = [1, 2, 3, 4].map(() => upsert("read", round));
      const reading = paths.flatMap((path) =>
        [1, 2, 3, 4].map(async () => ({ path, status: (await stage.http(path)).status })),
      );
      const copying = [1, 2, 3].map((n) => from.copy("read", `copy-${round}-${n}`));
      for (const { error } of await Promise.all(writing)) expect(error).toBeNull();
      for (const { path, status } of await Promise.all(reading)) {
        expect({ path, status }).toEqual({ path, status: 200 });
      }
      for (const { error } of await Promise.all(copying)) expect(error).toBeNull();
    }
  });

  it("keep the bytes of an object that is moved while an upload takes its old name", async () => {
    await upsert("here", 0);
    const send = holdRequest(
      "PUT",
      `${stage.url}/storage/v1/object/${bucket}/here`,
      { authorization: `Bearer ${stage.keys.serviceRoleKey}`, "content-length": "3" },
      "ne",
    );
    const incoming = join(stage.folder, "incoming");
    await eventually(async () => expect(await readdir(incoming)).toHaveLength(1));
    const answers: unknown[] = [];
    const whileMoving = async (tx: Queryable) => {
      await tx.query("select from storage.objects where name = 'here' for update");
      answers.push(from.move("here", "there"));
      await eventually(async () => expect(await waiting()).toHaveLength(1));
      // The bytes are complete, and their row waits behind the move: in the service, not in the database.
      const complete = (await stage.files()).length + 1;
      answers.push(send("w"));
      await eventually(async () => expect(await stage.files()).toHaveLength(complete));
    };
    const waiting = () =>
      stage.db.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
    // PGlite has one session. There, the upload follows the move.
    if (server === "pglite") answers.push(await from.move("here", "there"), await send("w"));
    else await stage.db.transaction({}, whileMoving);
    expect(await Promise.all(answers)).toEqual([expect.objectContaining({ error: null }), 200]);
    expect(await (await from.download("here")).data!.text()).toBe("new");
    expect(await (await from.download("there")).data!.text()).toBe(drawing);
    const { data } = await from.list();
    expect(await stage.files()).toHaveLength(data!.length);
  });
});
