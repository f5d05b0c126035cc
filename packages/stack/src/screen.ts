import type { Database } from "./db/database.js";
import type { Stack } from "./start.js";

/** The accounts that the project's seed makes, one for each side of a marketplace. */
const DEMO_LOGINS = [
  "operator@demo.souk.test",
  "supplier@demo.souk.test",
  "customer@demo.souk.test",
];
const DEMO_PASSWORD = "demo-password";

/** Which of the demo's accounts this database has. */
export async function findDemoLogins(db: Database): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    `select email from auth.users
     where email in (select jsonb_array_elements_text($1::text::jsonb))`,
    [JSON.stringify(DEMO_LOGINS)],
  );
  return DEMO_LOGINS.filter((login) => rows.some(({ email }) => email === login));
}

/** Addresses and keys, as `start` and `status` show them. */
export function describeAddresses(
  stack: Pick<Stack, "url" | "functionsUrl" | "anonKey" | "serviceRoleKey" | "jwtSecret">,
  dbUrl?: string | null,
): string {
  const lines = [
    ["API URL", stack.url],
    ["REST URL", `${stack.url}/rest/v1`],
    ["Functions URL", stack.functionsUrl],
    ...(dbUrl === undefined ? [] : [["DB URL", dbUrl ?? "none: PGlite runs inside the stack"]]),
    ["JWT secret", stack.jwtSecret],
    ["anon key", stack.anonKey],
    ["service_role key", stack.serviceRoleKey],
  ];
  return lines.map(([name, value]) => `${name?.padStart(18)}: ${value}`).join("\n");
}

/** What a person sees when the stack is ready. */
export function describeReady(stack: Stack, logins: readonly string[]): string {
  const parts = [describeAddresses(stack, stack.dbUrl)];
  if (logins.length > 0) {
    parts.push(
      `Demo logins, all with the password ${DEMO_PASSWORD}:\n` +
        logins.map((login) => `  ${login}`).join("\n"),
    );
  }
  parts.push(`Try it:\n${tryIt(stack, logins.at(-1))}`);
  parts.push("Ready. Ctrl-C stops it. For development only: the keys are known to everybody.");
  return `\n${parts.join("\n\n")}\n`;
}

/** A command for the user's shell: signs a demo customer in, or reads the description of the API. */
function tryIt({ url, functionsUrl, anonKey }: Stack, login: string | undefined): string {
  if (!login) return `  curl '${url}/rest/v1/' -H 'apikey: ${anonKey}'`;
  return (
    `  curl ${functionsUrl}/auth/login -H 'content-type: application/json' \\\n` +
    `    -d '${JSON.stringify({ email: login, password: DEMO_PASSWORD })}'`
  );
}
