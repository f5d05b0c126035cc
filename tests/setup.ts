import { restartDraws } from "./random.js";
import { askForOwn } from "./workers.js";

// Before each file: DATABASE_URL names the worker's own server, where it has one. Test files read it to decide what
// they test.
const { url } = await askForOwn("server");
if (url === null) delete process.env.DATABASE_URL;
else process.env.DATABASE_URL = url;
restartDraws();
