// Storage without the other services, over the database of the project in the working directory. It prints its address
// and a key. The arguments are "before" or "after" and names of objects. When it has come to the point immediately before
// or after it writes the rows of all these objects, it kills itself.
import { join } from "node:path";
import { readConfig } from "../src/config.js";
import { buildDatabase, timedSteps } from "../src/db/build.js";
import type { Database } from "../src/db/database.js";
import { claimPlace } from "../src/db/open.js";
import { openGateway } from "../src/gateway.js";
import { readKeys } from "../src/keys.js";
import { createLog } from "../src/log.js";
import { storageFolderOf } from "../src/places.js";
import { createStorage } from "../src/storage/index.js";

const [point, ...names] = process.argv.slice(2);
const root = process.cwd();
const log = createLog();
const place = { folder: join(root, ".souk") };
const config = await readConfig(root);
const claim = await claimPlace(place, log);
const opened = await buildDatabase(claim, config, log, timedSteps(log), true);

const reached = new Set<string>();

/** Never resolves. Kills the process when all objects have reached the point. */
function stay(name: string): Promise<never> {
  reached.add(name);
  if (reached.size === names.length) process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

const db: Database = {
  ...opened,
  async run(settings, sql, params) {
    const name = sql.startsWith("insert into storage.objects") ? params?.[1] : null;
    const stays = name != null && names.includes(name);
    if (stays && point === "before") await stay(name);
    const rows = await opened.run<never>(settings, sql, params);
    if (stays && point === "after") await stay(name);
    return rows;
  },
};

const keys = await readKeys(config);
const gateway = await openGateway(0, keys, log);
const { url } = gateway;
const storageFolder = storageFolderOf(place, root);
const service = await createStorage({ db, config, keys, log, url, storageFolder });
gateway.serve([{ prefix: "/storage/v1", service, keyIsOptional: true, cors: true }]);
process.stdout.write(`${JSON.stringify({ url, key: keys.serviceRoleKey })}\n`);
