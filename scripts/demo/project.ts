import { readConfig } from "../../packages/stack/src/config.js";
import { createKeys } from "../../packages/stack/src/keys.js";
import { mailPortOf } from "../../packages/stack/src/places.js";
import { shortAddress, type Teller } from "./teller.js";

/** The story cannot go on; the message is for whoever plays it. */
export class DemoStopped extends Error {
  override name = "DemoStopped";
}

/** The project that the demo is played against. */
export interface Project {
  url: string;
  publishableKey: string;
  /** Whether it runs on this machine, and so reaches a receiver here. */
  local: boolean;
  /** The address of the stack's mailbox; null if mails are sent, or the address is not known. */
  mailbox: string | null;
}

/** Somebody in the story, with a token once registered. */
export interface Person {
  who: string;
  token?: string;
}

const ANSWER_MS = 40_000;
const PROBE_MS = 10_000;

/**
 * The project of the environment, or the local stack at the port of `supabase/config.toml`. MAILPIT_URL names the mailbox
 * of a stack at another port.
 */
export async function findProject(root: string, environment: NodeJS.ProcessEnv): Promise<Project> {
  const { SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY, MAILPIT_URL } = environment;
  if (SUPABASE_URL && !URL.canParse(SUPABASE_URL)) {
    throw new DemoStopped("SUPABASE_URL is no address");
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

/** A record as the API answers it; the story checks what it relies on. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Answer = any;

/** A call of the story: made, told in one line, and its body answered. */
export type Call = (
  person: Person,
  method: string,
  path: string,
  expected: number,
  tell: (answer: Answer) => string,
  body?: unknown,
) => Promise<Answer>;

/** Calls as the people of the story; any status but the expected one stops it. */
export function createCall({ url, publishableKey }: Project, teller: Teller): Call {
  return async (person, method, path, expected, tell, body) => {
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
    teller.line(person.who, `${method} ${shortAddress(path)}`, response.status, tell(answer));
    return answer;
  };
}

/** Stops the story with a reason where something is not as it has to be. */
export function expect(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new DemoStopped(otherwise);
}

/** The value that a promise brings in time; else the story stops with the reason. */
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
