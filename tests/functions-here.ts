import { onTestFinished, vi } from "vitest";
import { createApp } from "../supabase/functions/_shared/http/app.ts";
import { stackInUse } from "./souk.js";

/**
 * Called before each request to a service, with its method and its path below the service's prefix, such as
 * `POST /object/copy`. It may return an answer instead.
 */
export type OnTheWay = (
  asked: string,
  headers: Headers,
) => Promise<Response | undefined> | Response | undefined;

/**
 * Functions in this process, by their paths, until the test ends. `onTheWay` is in front of the service with a prefix,
 * such as `/storage/v1`.
 */
export function functionsHere(
  routes: Parameters<typeof createApp>[0],
  prefix: string,
  onTheWay: OnTheWay,
) {
  const stack = stackInUse();
  const environment = {
    SUPABASE_URL: stack.url,
    SUPABASE_ANON_KEY: stack.anon_key,
    SUPABASE_SERVICE_ROLE_KEY: stack.service_role_key,
    JWT_SECRET: stack.jwt_secret,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  for (const says of ["log", "warn", "error"] as const) {
    vi.spyOn(console, says).mockImplementation(() => {});
  }
  const { fetch } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const path = String(input).split(prefix)[1];
    const asked = `${init?.method} ${path}`;
    const headers = new Headers(init?.headers);
    const instead = path === undefined ? undefined : await onTheWay(asked, headers);
    return instead ?? fetch(input, init);
  });
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  return createApp(routes);
}
