import type { Database } from "./db/database.js";
import type { Stack } from "./start.js";

/** The accounts that the project's seed makes, one for each role. */
const DEMO_LOGINS = [
  "operator@demo.souk.test",
  "supplier@demo.souk.test",
  "customer@demo.souk.test",
  "client@demo.souk.test",
];
const DEMO_PASSWORD = "demo-password";
const DEMO_CUSTOMER = "customer@demo.souk.test";

/** Which of the demo's accounts this database has. */
export async function findDemoLogins(db: Database): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    `select email from auth.users
     where email in (select jsonb_array_elements_text($1::text::jsonb))`,
    [JSON.stringify(DEMO_LOGINS)],
  );
  return DEMO_LOGINS.filter((login) => rows.some(({ email }) => email === login));
}

/** The addresses and keys of a stack. Some are not known of a stack that another process runs. */
export type Addressed = Pick<Stack, "url" | "keys" | "mailpitUrl" | "smtpUrl"> & {
  dbUrl?: string | null;
};

/** Addresses and keys for a program, by the names of `supabase status` in small letters. */
export function addressesOf({ url, keys, dbUrl, mailpitUrl, smtpUrl }: Addressed) {
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
  };
}

/** Addresses and keys for a person. */
export function describeAddresses(stack: Addressed): string {
  const told = addressesOf(stack);
  const lines = [
    ["API URL", told.url],
    ["REST URL", `${told.url}/rest/v1`],
    ["Functions URL", told.functions_url],
    ["Storage URL", told.storage_url],
    ...(told.db_url ? [["DB URL", told.db_url]] : []),
    ...(told.mailpit_url ? [["Mailpit URL", told.mailpit_url]] : []),
    ...(told.smtp_url ? [["SMTP URL", told.smtp_url]] : []),
    ["publishable key", told.publishable_key],
    ["secret key", told.secret_key],
    ["anon key", told.anon_key],
    ["service_role key", told.service_role_key],
    ["JWT secret", told.jwt_secret],
  ];
  return lines.map(([name, value]) => `${name?.padStart(18)}: ${value}`).join("\n");
}

/** What a person sees when the stack is ready. */
export function describeReady(stack: Stack, logins: readonly string[]): string {
  const parts = [describeAddresses(stack)];
  if (logins.length > 0) {
    parts.push(
      `Demo logins, all with the password ${DEMO_PASSWORD}:\n` +
        logins.map((login) => `  ${login}`).join("\n"),
    );
  }
  parts.push(logins.includes(DEMO_CUSTOMER) ? shopAsCustomer(stack) : askForSettings(stack));
  parts.push("Ready. Ctrl-C stops it. For development only: the keys are known to everybody.");
  return `\n${parts.join("\n\n")}\n`;
}

/** Commands for the user's shell: a customer of the demo logs in, finds a product and looks at the orders. */
function shopAsCustomer({ url }: Stack): string {
  const api = `${url}/functions/v1`;
  const login = JSON.stringify({ email: DEMO_CUSTOMER, password: DEMO_PASSWORD });
  return [
    "Try it, as a customer:",
    `  TOKEN=$(curl -s ${api}/auth/login -H 'content-type: application/json' \\`,
    `    -d '${login}' | node -pe 'JSON.parse(fs.readFileSync(0)).access_token')`,
    `  curl "${api}/api/products?search=glass" -H "authorization: Bearer $TOKEN"`,
    `  curl "${api}/api/orders" -H "authorization: Bearer $TOKEN"`,
    "`npm run demo` plays a whole sale: a supplier lists, a customer orders, a webhook is told.",
  ].join("\n");
}

/** What every project answers, whatever its tables are and whoever asks: how one signs in there. */
const askForSettings = ({ url, keys }: Stack) =>
  `Try it:\n  curl '${url}/auth/v1/settings' -H 'apikey: ${keys.publishableKey}'`;
