import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import WebSocket from "ws";
import { until } from "../../../tests/eventually.js";
import { openGateway } from "../src/gateway.js";
import { memoryLog, openProject, type Project } from "./functions-setup.js";

let project: Project;
afterEach(() => project?.close());

const code = async (answer: Response) => [answer.status, (await answer.json()).code];
const OVER = [546, "WORKER_RESOURCE_LIMIT"];

test("CPU time in short slices counts too, per request, and waiting does not count", async () => {
  project = await openProject(
    {
      "functions/busy/index.ts": `const wait = (ms) => new Promise((r) => setTimeout(r, ms));
      Deno.serve(async (request) => {
        const turns = Number(new URL(request.url).searchParams.get("turns"));
        for (let i = 0; i < turns; i += 1) {
          const begun = performance.now();
          while (performance.now() - begun < 50);
          await wait(5);
        }
        return new Response("done"); });`,
    },
    { cpuMs: 400 },
  );
  for (let i = 0; i < 3; i += 1) {
    expect(await (await project.call("/busy?turns=3")).text()).toBe("done");
  }
  expect(await code(await project.call("/busy?turns=200"))).toEqual(OVER);
  expect(project.lines.join("\n")).toContain("used over 400 ms of CPU time");
  expect(await (await project.call("/busy?turns=1")).text()).toBe("done");
});

test.each([
  ["with pauses", "await new Promise((r) => setTimeout(r, 2))"],
  ["without pauses", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)"],
])("memory outside of the heap counts: buffers allocated %s", async (_, pause) => {
  project = await openProject(
    {
      "functions/hoard/index.ts": `const hoard = [];
        Deno.serve(async () => { for (;;) { hoard.push(new Uint8Array(2e6).fill(1)); ${pause}; } });`,
      "functions/fine/index.ts": `Deno.serve(() => new Response("fine"));`,
    },
    { memoryMegabytes: 64 },
  );
  const hoarding = project.call("/hoard");
  expect(await (await project.call("/fine")).text()).toBe("fine");
  expect(await code(await hoarding)).toEqual(OVER);
  expect(project.lines.join("\n")).toContain("used over 64 MB of memory");
});

test.each([
  ["ends its process", "Deno.exit(3)"],
  ["leaves a rejection unhandled", `void Promise.reject(new Error("nobody waits"))`],
])("a function that %s fails its requests, and starts again", async (_, act) => {
  project = await openProject({
    "functions/a/index.ts": `Deno.serve((request) => {
      if (request.method === "GET") return new Response("ok");
      ${act}; return new Promise(() => {}); });`,
  });
  const answer = await project.call("/a", { method: "POST" });
  expect(answer.headers.get("sb-error-code")).toBe("WORKER_ERROR");
  expect(await code(answer)).toEqual([500, "WORKER_ERROR"]);
  expect(await (await project.call("/a")).text()).toBe("ok");
});

test("a request that ended its function's process is not sent again", async () => {
  project = await openProject({
    "functions/a/index.ts": `Deno.serve((request) => {
      if (request.method === "GET") return new Response("ok");
      console.log("posted"); setTimeout(() => Deno.exit(3), 50); return new Promise(() => {}); });`,
  });
  // Its connection is reused, as one that the function might just have closed.
  await (await project.call("/a")).text();
  expect(await code(await project.call("/a", { method: "POST" }))).toEqual([500, "WORKER_ERROR"]);
  expect(project.lines.filter((line) => line.includes("posted"))).toHaveLength(1);
});

test("a function that loops while it loads is a boot error, and does not delay the start of others", async () => {
  project = await openProject(
    {
      "functions/a/index.ts": "for (;;);",
      "functions/fine/index.ts": `Deno.serve(() => new Response("fine"));`,
    },
    { bootMs: 3000 },
  );
  expect(await code(await project.call("/a"))).toEqual([503, "BOOT_ERROR"]);
  expect(project.lines.join("\n")).toContain("did not listen within 3000 ms");
  expect(await (await project.call("/fine")).text()).toBe("fine");
});

test("a process takes requests for half of its time limit, and is ended at the limit", async () => {
  project = await openProject(
    {
      "functions/a/index.ts": `addEventListener("beforeunload", (e) => console.log("ends by", e.detail.reason));
      Deno.serve((request) => request.method === "GET" ? new Response("ok") : new Promise(() => {}));`,
    },
    { wallMs: 1500 },
  );
  const answer = await project.call("/a");
  const execution = answer.headers.get("x-deno-execution-id");
  const endless = project.call("/a", { method: "POST" });
  await until(
    async () => (await project.call("/a")).headers.get("x-deno-execution-id") !== execution,
  );
  expect(await code(await endless)).toEqual(OVER);
  expect(project.lines.join("\n")).toContain("wall clock limit of 1.5 s");
  await until(() => project.heard("a", "ends by wall_clock"));
});

test("an idle process is ended, and the next request starts another", async () => {
  project = await openProject(
    {
      "functions/a/index.ts": `addEventListener("beforeunload", (e) => console.log("ends by", e.detail.reason));
      Deno.serve(() => {
        // Longer than the idle limit.
        EdgeRuntime.waitUntil(new Promise((done) => setTimeout(done, 800)).then(() => console.log("done")));
        return new Response("ok");
      });`,
    },
    { unusedMs: 400 },
  );
  const first = await project.call("/a");
  await until(() => project.heard("a", "ends by early_drop"));
  // Its work after the answer is done by then, or the process waits for it.
  await until(() => project.heard("a", "done"));
  const next = await project.call("/a");
  expect(await next.text()).toBe("ok");
  expect(next.headers.get("x-deno-execution-id")).not.toBe(
    first.headers.get("x-deno-execution-id"),
  );
});

test("a failing task after the answer is logged, and does not end the process", async () => {
  project = await openProject({
    "functions/a/index.ts": `Deno.serve(() => {
      EdgeRuntime.waitUntil(Promise.reject(new Error("the task failed"))); return new Response("ok"); });`,
  });
  const first = await project.call("/a");
  await until(() => project.lines.join("\n").includes("the task failed"));
  const { headers } = await project.call("/a");
  expect(headers.get("x-deno-execution-id")).toBe(first.headers.get("x-deno-execution-id"));
});

test("an invalid status is the function's error, not the stack's", async () => {
  const strange = createServer((_, response) => response.writeHead(999).end("?"));
  await new Promise<void>((resolve) => strange.listen(0, "127.0.0.1", resolve));
  const { port } = strange.address() as AddressInfo;
  project = await openProject({
    "functions/a/index.ts": `Deno.serve(() => fetch("http://127.0.0.1:${port}"));`,
  });
  expect(await code(await project.call("/a"))).toEqual([500, "INVALID_RESPONSE_STATUS_CODE"]);
  strange.close();
});

test("an answer that its function aborts is aborted for the client", async () => {
  project = await openProject({
    "functions/a/index.ts": `Deno.serve(() => new Response(new ReadableStream({
      start(c) { c.enqueue(new TextEncoder().encode("half")); setTimeout(() => c.error(new Error("no more")), 20); } })));`,
  });
  const answer = await project.call("/a");
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
});

/** The gateway with the project's functions behind it. */
async function openBehindGateway() {
  const gateway = await openGateway(0, project.keys, memoryLog(project.lines));
  const { functions: service } = project;
  gateway.serve([{ prefix: "/functions/v1", service, open: "all", cors: false }]);
  return gateway;
}

test("events reach the client as they are sent, and a disconnect reaches the function", async () => {
  project = await openProject({
    "functions/a/index.ts": `Deno.serve(() => {
      let timer; let count = 0;
      return new Response(new ReadableStream({
        start(c) { timer = setInterval(() => c.enqueue(new TextEncoder().encode("data: " + count++ + "\\n\\n")), 20); },
        cancel() { clearInterval(timer); console.log("left"); },
      }), { headers: { "content-type": "text/event-stream" } }); });`,
  });
  const gateway = await openBehindGateway();
  const controller = new AbortController();
  const answer = await fetch(`${gateway.url}/functions/v1/a`, {
    headers: { apikey: project.keys.publishableKey },
    signal: controller.signal,
  });
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  let received = "";
  while (!received.includes("data: 3")) {
    received += new TextDecoder().decode((await reader.read()).value);
  }
  expect(received).toMatch(/^data: 0\n\ndata: 1\n\n/);
  controller.abort();
  await until(() => project.heard("a", "left"));
  await gateway.close();
});

test("a function uses a websocket, whose token is checked like any other", async () => {
  project = await openProject({
    "functions/a/index.ts": `Deno.serve((request) => {
      if (request.headers.get("upgrade") !== "websocket") return new Response("no", { status: 426 });
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = (e) => { console.log("got", e.data); socket.send(new URL(request.url).pathname + " " + e.data); };
      return response; });`,
    "functions/b/index.ts": `Deno.serve(() => new Response("not here", { status: 418 }));`,
  });
  const gateway = await openBehindGateway();
  const open = (name: string, token = project.keys.anonKey) =>
    new WebSocket(`${gateway.url.replace("http", "ws")}/functions/v1/${name}`, {
      headers: { authorization: `Bearer ${token}` },
    });
  const socket = open("a/deep");
  await once(socket, "open");
  socket.send("hello");
  expect(String((await once(socket, "message"))[0])).toBe("/a/deep hello");
  await until(() => project.heard("a", "got hello"));
  expect((await once(open("a", "x"), "error"))[0].message).toContain("401");
  expect((await once(open("b"), "error"))[0].message).toContain("418");
  expect((await once(open("nobody"), "error"))[0].message).toContain("404");
  const closed = once(socket, "close");
  await gateway.close();
  await closed;
});
