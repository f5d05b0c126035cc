import { readConfig } from "../../packages/stack/src/config.js";
import { createKeys } from "../../packages/stack/src/keys.js";
import { mailPortOf } from "../../packages/stack/src/places.js";
import { type Printer, shortAddress } from "./printer.js";

/** The demo cannot continue; the message is for the user. */
export class DemoStopped extends Error {
  override name = "DemoStopped";
}

/** The project on which the demo runs. */
export interface Project {
  url: string;
  publishableKey: string;
  /** Whether it runs on this machine, and so can reach a receiver here. */
  local: boolean;
  /** The URL of the stack's mailbox; null if mails are really sent, or the URL is unknown. */
  mailbox: string | null;
}

/** A person in the demo, with a token once registered. */
export interface Person {
  who: string;
  token?: string;
}

const ANSWER_MS = 40_000;
const PROBE_MS = 10_000;

/**
 * Returns the project of the environment variables, or the local stack on the port of `supabase/config.toml`.
 * MAILPIT_URL is the mailbox of a stack on another port.
 */
export async function findProject(root: string, environment: NodeJS.ProcessEnv): Promise<Project> {
  const { SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY, MAILPIT_URL } = environment;
  if (SUPABASE_URL && !URL.canParse(SUPABASE_URL)) {
    throw new DemoStopped("SUPABASE_URL must be a URL");
  }
  const config = await readConfig(root);
  const url = SUPABASE_URL
    ? SUPABASE_URL.replace(/\/+$/, "")
    : `http://127.0.0.1:${config.api.port}`;
  const local = ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
  if (!local && !SUPABASE_PUBLISHABLE_KEY) {
    throw new DemoStopped(
      "set SUPABASE_PUBLISHABLE_KEY to the publishable key of the project at SUPABASE_URL",
    );
  }
  const mailPort = SUPABASE_URL ? null : mailPortOf(config, config.api.port);
  return {
    url,
    local,
    mailbox: MAILPIT_URL || (mailPort ? `http://127.0.0.1:${mailPort}` : null),
    publishableKey: SUPABASE_PUBLISHABLE_KEY || (await createKeys()).publishableKey,
  };
}

/** Throws `DemoStopped` unless the project answers and has the functions of Souk. */
export async function findProjectUp({ url, publishableKey, local }: Project): Promise<void> {
  const advice = local ? "start it with `npm start`" : "is SUPABASE_URL right?";
  let response: Response;
  try {
    response = await fetch(`${url}/functions/v1/api/openapi.json`, {
      headers: { apikey: publishableKey },
      signal: AbortSignal.timeout(PROBE_MS),
    });
  } catch {
    throw new DemoStopped(`nothing answers at ${url}: ${advice}`);
  }
  await response.body?.cancel();
  if (response.status === 503 && local) {
    throw new DemoStopped(`the stack at ${url} is still starting: try again when it is ready`);
  }
  if (!response.ok) {
    throw new DemoStopped(
      `Souk does not answer at ${url}/functions/v1/api (${response.status}): ${advice}`,
    );
  }
}

/** A record of the API; the demo checks the fields that it uses. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Answer = any;

/** Makes a call, prints it in one line, and returns the body. */
export type Call = (
  person: Person,
  method: string,
  path: string,
  expected: number,
  describe: (answer: Answer) => string,
  body?: unknown,
) => Promise<Answer>;

/** Returns the function that makes calls. Any status but the expected one stops the demo. */
export function createCall({ url, publishableKey }: Project, printer: Printer): Call {
  return async (person, method, path, expected, describe, body) => {
    const name = `${person.who}: ${method} ${path}`;
    const response = await fetch(`${url}/functions/v1${path}`, {
      method,
      headers: {
        apikey: publishableKey,
        ...(person.token ? { authorization: `Bearer ${person.token}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch((error: Error) => {
      throw new DemoStopped(`${name} got no answer: ${error.message}`);
    });
    const text = await response.text();
    if (response.status !== expected) {
      throw new DemoStopped(`${name} answered ${response.status}, not ${expected}: ${text}`);
    }
    const answer = JSON.parse(text);
    printer.line(person.who, `${method} ${shortAddress(path)}`, response.status, describe(answer));
    return answer;
  };
}

/** Stops the demo with a reason if the condition is false. */
export function expect(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new DemoStopped(otherwise);
}

/** Resolves to the promise's value; stops the demo with the reason after `ms` milliseconds. */
export async function within<T>(ms: number, promise: Promise<T>, otherwise: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DemoStopped(otherwise)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
