// A minimal server for the cases of `objects.ts`: node:http and files. Each file is written under a temporary name,
// synced, and renamed.
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open, rename, rm, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const folder = await mkdtemp(join(tmpdir(), "souk-bench-files-"));
let written = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = join(folder, (request.url as string).slice(1));
  if (request.method === "POST") {
    const incoming = join(folder, `.${written++}`);
    await pipeline(request, createWriteStream(incoming, { flush: true }));
    await rename(incoming, path);
    const directory = await open(folder, "r");
    await directory.sync();
    await directory.close();
    response.end("{}");
  } else {
    response.setHeader("content-length", (await stat(path)).size);
    await pipeline(createReadStream(path), response);
  }
}

const http = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.destroy();
  });
});
http.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
});
process.once("SIGTERM", async () => {
  await rm(folder, { recursive: true });
  process.exit(0);
});
