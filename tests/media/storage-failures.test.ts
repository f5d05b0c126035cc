import { beforeAll, describe, expect, it, vi } from "vitest";
import { media } from "../../supabase/functions/_shared/media/routes.ts";
import { mediaSweep } from "../../supabase/functions/_shared/media/sweeping.ts";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { functionsHere, type OnTheWay } from "../functions-here.js";
import {
  type Answer,
  expectRefusal,
  must,
  openTestTenant,
  stackInUse,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { png, TYPES } from "./files.js";
import { type Asset, announce, complete, sendBytes } from "./uploading.js";

// Uploads when Storage fails, or when their bytes are replaced at the worst moment.

let testTenant: TestTenant;
beforeAll(async () => {
  testTenant = await openTestTenant();
});

const bytes = png(40, 30);
const html = Buffer.from("<!doctype html><script>alert(1)</script>");

/** The functions in this process, with `onTheWay` in front of Storage. */
const mediaHere = (onTheWay: OnTheWay) =>
  functionsHere({ "/api/media": media, "/media-sweep": mediaSweep }, "/storage/v1", onTheWay);

/** Completes an upload with the functions in this process. */
async function completeHere({ id }: Asset, onTheWay: OnTheWay): Promise<Answer> {
  const answer = await mediaHere(onTheWay).request(`/api/media/${id}/complete`, {
    method: "POST",
    headers: { authorization: `Bearer ${testTenant.supplier.token}` },
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

async function sent(content = bytes): Promise<Asset> {
  const announced = await announce(testTenant.supplier, bytes, TYPES.png);
  expect((await sendBytes(announced, content)).ok).toBe(true);
  return announced;
}

/** The path of an upload in the bucket uploads. */
const landingOf = ({ upload }: Asset): string => upload.resumable.metadata.objectName;

async function objectsIn(bucket: string): Promise<string[]> {
  const { data } = await supabaseAsService().storage.from(bucket).list(testTenant.tenantId);
  return (data ?? []).map(({ name }) => name);
}

/** Replaces the uploaded bytes with a page, as an upload that was started before may do on a hosted project. */
async function swap(announced: Asset): Promise<void> {
  const contentType = TYPES.png;
  const { error } = await supabaseAsService()
    .storage.from("uploads")
    .upload(landingOf(announced), html, { contentType, upsert: true });
  if (error) throw error;
}

describe("bytes that are replaced after the check", () => {
  it("are not shown, and are refused by the next completion", async () => {
    const announced = await sent();
    const before = await objectsIn("media");
    const answer = await completeHere(announced, async (asked) => {
      if (asked === "POST /object/copy") await swap(announced);
      return undefined;
    });
    expectRefusal(answer, 409, "CONFLICT");
    expect(await objectsIn("media")).toEqual(before);
    expect(
      await must("GET", `/api/media/${announced.id}`, { as: testTenant.supplier }),
    ).toMatchObject({
      status: "uploading",
    });
    expectRefusal(await complete(testTenant.supplier, announced), 422, "UNSUPPORTED_MEDIA");
    expect(await objectsIn("media")).toEqual(before);
  });

  it("are not shown when the completion crashed after the copy", async () => {
    const announced = await sent();
    let copied = false;
    const died = await completeHere(announced, async (asked) => {
      if (copied) throw new TypeError("fetch failed");
      if (asked !== "POST /object/copy") return undefined;
      await swap(announced);
      copied = true;
      return undefined;
    });
    expect(died.status).toBe(503);
    vi.restoreAllMocks();
    await supabaseAsService()
      .storage.from("uploads")
      .upload(landingOf(announced), bytes, { contentType: TYPES.png, upsert: true });
    const done = await complete(testTenant.supplier, announced);
    expect(done.status).toBe(200);
    expect(Buffer.from(await (await fetch(done.body.url)).arrayBuffer())).toEqual(bytes);
  });

  it("are not shown when they arrive during the check", async () => {
    const announced = await sent();
    const before = await objectsIn("media");
    const answer = await completeHere(announced, async (asked) => {
      if (asked.startsWith("undefined /render/")) await swap(announced);
      return undefined;
    });
    expect([409, 422]).toContain(answer.status);
    expect(await objectsIn("media")).toEqual(before);
  });
});

describe("a range that Storage on S3 answers with 500", () => {
  const failure = () =>
    Response.json(
      { statusCode: "500", error: "Internal", message: "Internal Server Error" },
      { status: 500 },
    );
  /** Storage fails for every range of an upload, after `before`. */
  const failing = (before: () => Promise<void> | void) => async (asked: string) => {
    if (!asked.startsWith("undefined /object/authenticated/")) return undefined;
    await before();
    return failure();
  };

  it("is 409 if the bytes were replaced by shorter ones", async () => {
    const announced = await sent();
    const answer = await completeHere(
      announced,
      failing(() => swap(announced)),
    );
    expectRefusal(answer, 409, "CONFLICT");
  });

  it("is 409 if the bytes were deleted", async () => {
    const announced = await sent();
    const answer = await completeHere(
      announced,
      failing(async () => {
        await supabaseAsService()
          .storage.from("uploads")
          .remove([landingOf(announced)]);
      }),
    );
    expectRefusal(answer, 409, "CONFLICT");
  });

  it("is 503 if the bytes are the same", async () => {
    const announced = await sent();
    const refused = await completeHere(
      announced,
      failing(() => {}),
    );
    expectRefusal(refused, 503, "SERVICE_UNAVAILABLE");
    expect(refused.headers.get("retry-after")).toBe("1");
    vi.restoreAllMocks();
    expect((await complete(testTenant.supplier, announced)).status).toBe(200);
  });
});

describe("an image that Storage does not render", () => {
  const refusal =
    (status: number, code: string, message = "") =>
    () =>
      Response.json({ statusCode: String(status), error: code, code, message }, { status });
  const rendering = (answer: () => Response) => (asked: string) =>
    asked.includes("/render/") ? answer() : undefined;

  it.each([
    ["an expired token", refusal(400, "InvalidJWT")],
    ["a key without permission", refusal(403, "AccessDenied")],
    ["a proxy without the route", () => new Response("<h1>Not Found</h1>", { status: 404 })],
    ["too many requests", refusal(429, "SlowDown")],
  ])("is answered with 503, and completed later: %s", async (_, answer) => {
    const announced = await sent();
    const refused = await completeHere(announced, rendering(answer));
    expectRefusal(refused, 503, "SERVICE_UNAVAILABLE");
    expect(refused.headers.get("retry-after")).toBe("1");
    vi.restoreAllMocks();
    expect((await complete(testTenant.supplier, announced)).status).toBe(200);
  });

  it.each([
    ["the plan", refusal(403, "FeatureNotEnabled")],
    ["Storage without imgproxy", refusal(404, "Not Found", "Route GET:/render/ not found")],
  ])("is accepted by its header when there are no transformations: %s", async (_, answer) => {
    const announced = await sent();
    expect((await completeHere(announced, rendering(answer))).status).toBe(200);
  });
});

it("complete is 503 while Storage cannot be reached", async () => {
  const announced = await sent();
  const refused = await completeHere(announced, () => {
    throw new TypeError("fetch failed");
  });
  expectRefusal(refused, 503, "SERVICE_UNAVAILABLE");
  expect(refused.headers.get("retry-after")).toBe("1");
});

it("complete refuses a file even if its bytes cannot be deleted immediately", async () => {
  const announced = await sent(Buffer.from("no picture"));
  const refused = await completeHere(announced, (asked) =>
    asked.startsWith("DELETE") ? new Response("", { status: 500 }) : undefined,
  );
  expectRefusal(refused, 422, "UNSUPPORTED_MEDIA");
  vi.restoreAllMocks();
  expectRefusal(await complete(testTenant.supplier, announced), 404, "NOT_FOUND");
});

it("complete is 500 when Storage refuses to describe an upload", async () => {
  const announced = await sent();
  const refused = await completeHere(announced, () =>
    Response.json({ statusCode: "403", error: "Unauthorized", message: "" }, { status: 400 }),
  );
  expectRefusal(refused, 500, "INTERNAL_ERROR");
});

it("media-sweep empties one bucket while another one fails", async () => {
  const { storage } = supabaseAsService();
  const path = `${testTenant.tenantId}/swept.png`;
  for (const bucket of ["media", "documents"]) {
    await storage.from(bucket).upload(path, bytes, { contentType: TYPES.png });
    // A path that is due later does not wake the stack's own worker.
    await query(
      `insert into private.media_sweeps (tenant_id, bucket, path, due_at)
       values ($1, $2, $3, now() + interval '1 hour')`,
      [testTenant.tenantId, bucket, path],
    );
  }
  await query(
    `update private.jobs j set due_at = now()
     from private.media_sweeps s where j.queue = 'media_sweeps' and j.subject_id = s.id and s.path = $1`,
    [path],
  );
  const app = mediaHere((asked) =>
    asked.startsWith("DELETE /object/documents") ? new Response("", { status: 500 }) : undefined,
  );
  const apikey = stackInUse().service_role_key;
  await app.request("/media-sweep", { method: "POST", headers: { apikey } });
  await eventually(async () => {
    const left = await query("select bucket from private.media_sweeps where path = $1", [path]);
    expect(left).not.toContainEqual({ bucket: "media" });
  });
});
