import { afterAll, afterEach } from "vitest";
import { restartDraws } from "./random.js";
import { checkAnswers, watchingFetch } from "./watching.js";
import { askForOwn } from "./workers.js";

// Runs before each file. DATABASE_URL is set to the worker's server if it has one. Test files read it to decide what
// they test.
const { url } = await askForOwn("server");
if (url === null) delete process.env.DATABASE_URL;
else process.env.DATABASE_URL = url;
restartDraws();
globalThis.fetch = watchingFetch;
// Requests outside of tests, such as in `beforeAll`, fail the next test or the file.
afterEach(checkAnswers);
afterAll(checkAnswers);
