import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { until } from "../../../tests/eventually.js";
import { programOf } from "../../../tests/programs.js";
import { findDeno, HOSTED_DENO_VERSION } from "../src/functions/deno.js";
import { Refusal } from "../src/refusal.js";
import { openProject, type Project } from "./functions-setup.js";

const fine = `Deno.serve(() => new Response("fine"));`;

let project: Project;
afterEach(() => project?.close());

const code = async (answer: Response) => [answer.status, (await answer.json()).code];

test.each([
  false,
  true,
])("the first request finds a process, which started on demand: %s", async (onDemand) => {
  const files = { "functions/fine/index.ts": `console.log("started"); ${fine}` };
  project = await openProject(files, {}, [], onDemand);
  const hasStarted = () => project.heard("fine", "started");
  if (onDemand) expect(hasStarted()).toBe(false);
  else await until(hasStarted);
  expect(await (await project.call("/fine")).text()).toBe("fine");
  await until(hasStarted);
});

test("an endless loop ends only its own process, and the next request starts a new one", async () => {
  project = await openProject(
    {
      "functions/loop/index.ts": `Deno.serve((request) => {
        if (new URL(request.url).pathname === "/loop/spin") { console.log("spinning"); for (;;); }
        return new Response("ok"); });`,
      "functions/fine/index.ts": fine,
    },
    { blockedMs: 1000 },
  );
  const spinning = project.call("/loop/spin");
  await until(() => project.heard("loop", "spinning"));
  const waiting = project.call("/loop");
  expect(await (await project.call("/fine")).text()).toBe("fine");
  expect(await code(await spinning)).toEqual([546, "WORKER_RESOURCE_LIMIT"]);
  expect((await waiting).status).toBe(546);
  expect(await (await project.call("/loop")).text()).toBe("ok");
  expect(project.lines.join("\n")).toContain("event loop blocked");
});

test("a loop that begins after the answer is ended too", async () => {
  project = await openProject(
    {
      "functions/late/index.ts": `Deno.serve(() => { setTimeout(() => { for (;;); }, 20); return new Response("ok"); });`,
    },
    { blockedMs: 1000 },
  );
  expect(await (await project.call("/late")).text()).toBe("ok");
  await until(() => project.lines.join("\n").includes("event loop blocked"));
  expect(await (await project.call("/late")).text()).toBe("ok");
});

test("a crash outside the handler is a 500, and the next request starts a new process", async () => {
  project = await openProject({
    "functions/crash/index.ts": `Deno.serve((request) => {
      if (new URL(request.url).pathname === "/crash") return new Response("ok");
      setTimeout(() => { throw new Error("outside the handler"); });
      return new Promise(() => {}); });`,
  });
  expect(await code(await project.call("/crash/now"))).toEqual([500, "WORKER_ERROR"]);
  expect(await (await project.call("/crash")).text()).toBe("ok");
  expect(project.lines.join("\n")).toContain("outside the handler");
  expect(project.lines.join("\n")).toContain("crash/index.ts:3");
});

test("a function that uses too much memory exceeds its limits", async () => {
  project = await openProject(
    {
      "functions/hoard/index.ts": `const hoard = [];
      Deno.serve(() => { for (;;) hoard.push(new Array(1000).fill({ a: Math.random() })); });`,
    },
    { memoryMegabytes: 32 },
  );
  expect(await code(await project.call("/hoard"))).toEqual([546, "WORKER_RESOURCE_LIMIT"]);
});

test("a function that does not answer times out, and the requests of others continue", async () => {
  project = await openProject(
    {
      "functions/slow/index.ts": `Deno.serve((request) => request.method === "POST"
        ? new Promise(() => {}) : new Response("ok"));`,
    },
    { idleMs: 300 },
  );
  expect(await code(await project.call("/slow", { method: "POST" }))).toEqual([
    504,
    "IDLE_TIMEOUT",
  ]);
  expect(await (await project.call("/slow")).text()).toBe("ok");
});

test.each([
  ["a syntax error", `Deno.serve(() => {`, /index\.ts:1/],
  ["a missing import", `import "./nowhere.ts"; ${fine}`, /nowhere\.ts/],
  [
    "a package that is not installed",
    `import "not-installed"; ${fine}`,
    /not-installed[\s\S]*npm install/,
  ],
  [
    "an import from elsewhere",
    `import "jsr:@std/path"; ${fine}`,
    /@std\/path[\s\S]*index\.ts:1[\s\S]*downloads nothing/,
  ],
  ["an error while it loads", `\n\nthrow new Error("no luck");`, /no luck[\s\S]*index\.ts:3/],
  ["no Deno.serve", `export {};`, /did not call Deno\.serve/],
])("a function with %s is a boot error, logged once", async (_, source, reason) => {
  project = await openProject({
    "functions/broken/index.ts": source,
    "functions/fine/index.ts": fine,
  });
  for (let i = 0; i < 2; i += 1) {
    expect(await code(await project.call("/broken"))).toEqual([503, "BOOT_ERROR"]);
  }
  const lines = project.lines.filter((line) => line.includes("failed to start"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(reason);
  expect(lines[0]).not.toMatch(/backtrace|hint:/);
  expect(await (await project.call("/fine")).text()).toBe("fine");
});

test("changes on disk are loaded: a function's own, a shared file, .env, a new and a removed one", async () => {
  project = await openProject({
    "functions/_shared/word.ts": `export const word = "one";`,
    "functions/a/index.ts": `import { word } from "../_shared/word.ts"; Deno.serve(() => new Response(word));`,
    "functions/b/index.ts": `Deno.serve(() => new Response(Deno.env.get("WORD") ?? "none"));`,
  });
  const says = (path: string, text: string) =>
    until(async () => (await (await project.call(path)).text()) === text);
  await says("/a", "one");
  await project.write("functions/_shared/word.ts", `export const word = "two";`);
  await says("/a", "two");
  await says("/b", "none");
  await project.write("functions/.env", "WORD=three");
  await says("/b", "three");
  await project.write("functions/b/index.ts", "throw new Error('now broken')");
  await until(async () => (await project.call("/b")).status === 503);
  await project.write("functions/b/index.ts", fine);
  await says("/b", "fine");
  await project.write("functions/c/index.ts", fine);
  await says("/c", "fine");
  await project.remove("functions/c");
  await until(async () => (await project.call("/c")).status === 404);
});

test("a request in progress finishes on the old code, and background work after it", async () => {
  project = await openProject({
    "functions/long/index.ts": `Deno.serve(async (request) => {
      if (request.method === "GET") return new Response("old");
      const body = await request.text();
      EdgeRuntime.waitUntil(new Promise((r) => setTimeout(r, 200)).then(() => console.log("tidied up")));
      return new Response("old " + body); });`,
  });
  const gate = new TransformStream<Uint8Array, Uint8Array>();
  const writer = gate.writable.getWriter();
  const init = { method: "POST", body: gate.readable, duplex: "half" } as RequestInit;
  const inFlight = project.call("/long", init);
  await writer.write(new TextEncoder().encode("bo"));
  await project.write("functions/long/index.ts", `Deno.serve(() => new Response("new"));`);
  await until(async () => (await (await project.call("/long")).text()) === "new");
  await writer.write(new TextEncoder().encode("dy"));
  await writer.close();
  expect(await (await inFlight).text()).toBe("old body");
  await until(() => project.heard("long", "tidied up"));
});

test("bodies stream both ways, and the function is notified when a client disconnects", async () => {
  project = await openProject({
    "functions/mirror/index.ts": `Deno.serve((request) => new Response(request.body));`,
    "functions/ticks/index.ts": `Deno.serve((request) => {
      request.signal.addEventListener("abort", () => console.log("aborted"));
      let timer;
      return new Response(new ReadableStream({
        start(c) { timer = setInterval(() => c.enqueue(new TextEncoder().encode("tick")), 20); },
        cancel() { clearInterval(timer); console.log("cancelled"); },
      }));
    });`,
  });
  const gate = new TransformStream<Uint8Array, Uint8Array>();
  const writer = gate.writable.getWriter();
  const answering = project.call("/mirror", {
    method: "POST",
    body: gate.readable,
    duplex: "half",
  } as RequestInit);
  void writer.write(new TextEncoder().encode("one"));
  const reader = ((await answering).body as ReadableStream<Uint8Array>).getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await read()).toBe("one");
  void writer.write(new TextEncoder().encode("two"));
  expect(await read()).toBe("two");
  void writer.close();
  expect((await reader.read()).done).toBe(true);

  const ticking = ((await project.call("/ticks")).body as ReadableStream<Uint8Array>).getReader();
  await ticking.read();
  await ticking.cancel();
  await until(() => project.heard("ticks", "cancelled"));

  const controller = new AbortController();
  const aborted = await project.call("/ticks", { signal: controller.signal });
  controller.abort();
  await expect(aborted.text()).rejects.toThrow();
  await until(() => project.heard("ticks", "cancelled", 2));
});

test("a function reads a body while its answer is being read", async () => {
  project = await openProject({
    "functions/count/index.ts": `Deno.serve((request) => {
      const parts = request.body.getReader();
      const words = new TextEncoder();
      return new Response(new ReadableStream({
        async pull(answer) {
          const { value, done } = await parts.read();
          if (done) answer.close();
          else answer.enqueue(words.encode(value.length + " bytes"));
        },
      }));
    });`,
  });
  const gate = new TransformStream<Uint8Array, Uint8Array>();
  const writer = gate.writable.getWriter();
  const send = (size: number) => void writer.write(new Uint8Array(size));
  send(1);
  const init = { method: "POST", body: gate.readable, duplex: "half" } as RequestInit;
  const counts = (
    (await project.call("/count", init)).body as ReadableStream<Uint8Array>
  ).getReader();
  const read = async () => new TextDecoder().decode((await counts.read()).value);
  expect(await read()).toBe("1 bytes");
  for (const size of [2, 3, 4]) {
    send(size);
    expect(await read()).toBe(`${size} bytes`);
  }
  void writer.close();
  expect((await counts.read()).done).toBe(true);
});

test("close leaves no process, not even a function in an endless loop", async () => {
  project = await openProject({
    "functions/loop/index.ts": `console.log("pid", Deno.pid); Deno.serve(() => { console.log("spinning"); for (;;); });`,
  });
  const pid = Number(/pid (\d+)/.exec(project.lines.join("\n"))?.[1]);
  const spinning = project.call("/loop");
  await until(() => project.heard("loop", "spinning"));
  await project.functions.close();
  expect((await spinning).status).toBe(500);
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});

test("a kill of the stack itself leaves no process", async () => {
  const stack = spawn(process.execPath, [programOf("packages/stack/tests/functions-orphan.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  stack.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await until(() => output.includes("spinning"));
  const pids = [...output.matchAll(/pid (\d+)/g)].map((match) => Number(match[1]));
  expect(pids).toHaveLength(2);
  for (const pid of pids) process.kill(pid, 0);
  stack.kill("SIGKILL");
  const isGone = (pid: number) => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };
  await until(() => pids.every(isGone));
  const root = /root (\S+)/.exec(output)?.[1];
  if (root) await rm(root, { recursive: true });
});

test("package.json has the Deno that hosted's edge runtime is built from", async () => {
  const file = await readFile(new URL("../package.json", import.meta.url), "utf8");
  expect(JSON.parse(file).dependencies.deno).toBe(HOSTED_DENO_VERSION);
});

test("finds Deno's program by the platform's name, or the error says how to install it", () => {
  expect(findDeno()).toMatch(/deno(\.exe)?$/);
  expect(() => findDeno("sunos-x64")).toThrow(Refusal);
  expect(() => findDeno("win32-arm64")).toThrow(/npm ci/);
});
