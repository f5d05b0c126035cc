import process from "node:process";

/** What the platform tells every function, and what an operator may set; read at each use. */
export const environment = {
  /** The project's address. */
  get supabaseUrl() {
    return required("SUPABASE_URL");
  },
  get anonKey() {
    return required("SUPABASE_ANON_KEY");
  },
  get serviceRoleKey() {
    return required("SUPABASE_SERVICE_ROLE_KEY");
  },
  /** Verifies tokens signed with HS256; projects with asymmetric signing keys need none. */
  get jwtSecret() {
    return process.env.JWT_SECRET;
  },
  /** How long a request may take, in milliseconds. */
  get requestTimeoutMs() {
    return Number(process.env.REQUEST_TIMEOUT_MS ?? 30_000);
  },
  /** Whether webhooks may be sent to this machine: a local stack's receivers are there. */
  get webhooksMayReachLoopback() {
    return process.env.WEBHOOKS_MAY_REACH_LOOPBACK === "true";
  },
};

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`the environment lacks ${name}`);
  return value;
}
