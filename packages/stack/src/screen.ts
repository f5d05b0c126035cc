import type { Database } from "./db/database.js";
import type { Stack } from "./start.js";

const CUSTOMER = "customer@demo.souk.test";
/** The people that the project's seed creates, one for each role. */
const DEMO_LOGINS = ["operator@demo.souk.test", "supplier@demo.souk.test", CUSTOMER];
const DEMO_PASSWORD = "demo-password";
/** The API key that the seed creates, for the role of machines. */
export const DEMO_KEY = {
  clientId: "key_d0000000000040008000000000000004",
  clientSecret: "sks_d0000000000040008000000000000004d0000000000040008000000000000004",
};

/** Returns the demo accounts that exist in this database. */
export async function findDemoLogins(db: Database): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    `select email from auth.users
     where email in (select jsonb_array_elements_text($1::text::jsonb))`,
    [JSON.stringify(DEMO_LOGINS)],
  );
  return DEMO_LOGINS.filter((login) => rows.some(({ email }) => email === login));
}

/**
 * The location of a stack. A server given by its URL is only known to the process that started the
 * stack.
 */
export type Addressed = Pick<
  Stack,
  "url" | "keys" | "mailpitUrl" | "smtpUrl" | "consoleUrl" | "storefrontUrl"
> & {
  dbUrl?: string | null;
};

/** Addresses and keys for a program, by the names of `supabase status` in small letters. */
export function addressesOf({
  url,
  keys,
  dbUrl,
  mailpitUrl,
  smtpUrl,
  consoleUrl,
  storefrontUrl,
}: Addressed) {
  return {
    url,
    functions_url: `${url}/functions/v1`,
    storage_url: `${url}/storage/v1`,
    publishable_key: keys.publishableKey,
    secret_key: keys.secretKey,
    anon_key: keys.anonKey,
    service_role_key: keys.serviceRoleKey,
    jwt_secret: keys.jwtSecret,
    db_url: dbUrl,
    mailpit_url: mailpitUrl,
    smtp_url: smtpUrl,
    console_url: consoleUrl,
    storefront_url: storefrontUrl,
  };
}

/** Addresses and keys as text for a user. */
export function describeAddresses(stack: Addressed): string {
  const addresses = addressesOf(stack);
  const lines = [
    ...(addresses.console_url ? [["Console URL", addresses.console_url]] : []),
    ...(addresses.storefront_url ? [["Storefront URL", addresses.storefront_url]] : []),
    ["API URL", addresses.url],
    ["REST URL", `${addresses.url}/rest/v1`],
    ["Functions URL", addresses.functions_url],
    ["Storage URL", addresses.storage_url],
    ...(addresses.db_url ? [["DB URL", addresses.db_url]] : []),
    ...(addresses.mailpit_url ? [["Mailpit URL", addresses.mailpit_url]] : []),
    ...(addresses.smtp_url ? [["SMTP URL", addresses.smtp_url]] : []),
    ["publishable key", addresses.publishable_key],
    ["secret key", addresses.secret_key],
    ["anon key", addresses.anon_key],
    ["service_role key", addresses.service_role_key],
    ["JWT secret", addresses.jwt_secret],
  ];
  return lines.map(([name, value]) => `${name?.padStart(18)}: ${value}`).join("\n");
}

/** The text that is printed when the stack is ready. */
export function describeReady(stack: Stack, logins: readonly string[]): string {
  const parts = [describeAddresses(stack)];
  if (logins.length > 0) {
    parts.push(
      `Demo logins, all with the password ${DEMO_PASSWORD}:\n` +
        logins.map((login) => `  ${login}`).join("\n"),
      `Demo API key, with the role client:\n  ${DEMO_KEY.clientId}\n  ${DEMO_KEY.clientSecret}`,
    );
  }
  parts.push(`Try it:\n${tryIt(stack, logins.includes(CUSTOMER))}`);
  parts.push("Ready. Press Ctrl-C to stop. For development only: the keys are public.");
  return `\n${parts.join("\n\n")}\n`;
}

/** A command for the user's shell: signs the demo's customer in, or checks whether Auth answers. */
function tryIt({ url, keys }: Stack, hasCustomer: boolean): string {
  if (!hasCustomer) return `  curl ${url}/auth/v1/health -H 'apikey: ${keys.publishableKey}'`;
  return (
    `  curl ${url}/functions/v1/auth/login -H 'content-type: application/json' \\\n` +
    `    -d '${JSON.stringify({ email: CUSTOMER, password: DEMO_PASSWORD })}'`
  );
}
