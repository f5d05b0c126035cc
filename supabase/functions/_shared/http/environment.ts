import process from "node:process";
import type { JSONWebKeySet } from "jose";

/** Variables that the platform sets for every function, and settings of the operator. They are read at each use. */
export const environment = {
  /** The project's address. */
  get supabaseUrl() {
    return required("SUPABASE_URL");
  },
  /** The address at which browsers reach the project. It differs where functions run in a network of containers. */
  get publicUrl() {
    return process.env.PROJECT_URL || environment.supabaseUrl;
  },
  /** The public key; on projects without such keys the anon key. */
  get publishableKey() {
    return keys("SUPABASE_PUBLISHABLE_KEYS")[0] ?? required("SUPABASE_ANON_KEY");
  },
  /** All public keys, also the older anon key. */
  get publicApiKeys(): string[] {
    const legacy = process.env.SUPABASE_ANON_KEY;
    return [...keys("SUPABASE_PUBLISHABLE_KEYS"), ...(legacy ? [legacy] : [])];
  },
  /** The keys that bypass row-level security, the preferred one first; on older projects only the service_role key. */
  get secretKeys(): [string, ...string[]] {
    const [first, ...others] = keys("SUPABASE_SECRET_KEYS");
    const legacy = process.env.SUPABASE_SERVICE_ROLE_KEY;
    return first
      ? [first, ...others, ...(legacy ? [legacy] : [])]
      : [required("SUPABASE_SERVICE_ROLE_KEY")];
  },
  /** The project's public signing keys at the time when the function started. */
  get publicKeys(): JSONWebKeySet {
    const given = JSON.parse(process.env.SUPABASE_JWKS || "[]");
    return Array.isArray(given) ? { keys: given } : given;
  },
  /** The secret for tokens signed with HS256. Projects with asymmetric signing keys need none. */
  get jwtSecret() {
    return process.env.JWT_SECRET;
  },
  /** Timeout of a request, in milliseconds. */
  get requestTimeoutMs() {
    return Number(process.env.REQUEST_TIMEOUT_MS ?? 30_000);
  },
  /** Longest pause in a slow response, in milliseconds. After a longer one a proxy may close the connection. */
  get longestSilenceMs() {
    return Number(process.env.LONGEST_SILENCE_MS ?? 15_000);
  },
  /** Maximum number of records that one request imports. */
  get importRecords() {
    return Number(process.env.IMPORT_RECORDS ?? 20_000);
  },
  /** Maximum number of characters of the records that one request imports. */
  get importCharacters() {
    return Number(process.env.IMPORT_CHARACTERS ?? 8_000_000);
  },
  /** Maximum time for which one request imports, in milliseconds. */
  get importMs() {
    return Number(process.env.IMPORT_MS ?? 60_000);
  },
  /** The transport of mails: `smtps://user:password@host:465` or `resend://KEY`. Undefined if no mails are sent. */
  get mailUrl() {
    return process.env.MAIL_URL || undefined;
  },
  /** The sender's address of all mails. Undefined if no mails are sent. */
  get mailFrom() {
    return process.env.MAIL_FROM || undefined;
  },
  /** Verifies Resend's reports of bounces and complaints. */
  get resendWebhookSecret() {
    return process.env.RESEND_WEBHOOK_SECRET;
  },
  /** The Stripe account that payments go to. Undefined unless all of its keys are set. */
  get stripe(): StripeAccount | undefined {
    const secretKey = process.env.STRIPE_SECRET_KEY;
    const publishableKey = process.env.STRIPE_PUBLISHABLE_KEY;
    const webhookSecret = process.env.STRIPE_WEBHOOK_SECRET;
    if (!secretKey || !publishableKey || !webhookSecret) return undefined;
    const ids = (process.env.STRIPE_TENANTS ?? "").split(",").map((id) => id.trim().toLowerCase());
    return {
      secretKey,
      publishableKey,
      webhookSecret,
      tenants: new Set(ids.filter(Boolean)),
      address: (process.env.STRIPE_API || "https://api.stripe.com").replace(/\/+$/, ""),
    };
  },
  /** The site that the links of mails lead to, without a slash at its end. Undefined if there is none. */
  get siteUrl() {
    return process.env.SITE_URL?.replace(/\/+$/, "") || undefined;
  },
  /** Whether functions run on the hosted platform. */
  get isHosted() {
    return new URL(environment.supabaseUrl).hostname.endsWith(".supabase.co");
  },
  /** Whether webhooks may be sent to this machine: a local stack's receivers are there. */
  get webhooksMayReachLoopback() {
    return process.env.WEBHOOKS_MAY_REACH_LOOPBACK === "true";
  },
};

/** An account at Stripe, with its keys. */
export interface StripeAccount {
  secretKey: string;
  /** The key for browsers. */
  publishableKey: string;
  /** Verifies the events that Stripe sends. */
  webhookSecret: string;
  /** The ids of the tenants whose payments may begin at this account, in lower case. */
  tenants: ReadonlySet<string>;
  /** The address of Stripe's API, without a slash at its end. Tests give another one. */
  address: string;
}

/** The values of a JSON object of keys by name, the one named `default` first. */
function keys(name: string): string[] {
  const { default: first, ...others } = JSON.parse(process.env[name] || "{}");
  return first ? [first, ...Object.values<string>(others)] : Object.values<string>(others);
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`the environment variable ${name} is not set`);
  return value;
}
