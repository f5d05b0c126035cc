import { createDispatcher } from "../../supabase/functions/_shared/exports/dispatch.ts";
import { dispatcherOptions, type Services } from "../../supabase/functions/_shared/exports/work.ts";
import { openStorage } from "../../supabase/functions/_shared/media/storage.ts";
import { stackInUse, supabaseAsService } from "../souk.js";

// A dispatcher that runs in the test, with the stack's database and Storage, and simulates crashes.

/**
 * When the crash happens: before the call arrives; after it was executed and before the answer; when half of a part has
 * arrived; or when only the announced size of its request has.
 */
export type CrashTime = "before" | "after" | "halfway" | "announced";

/** The names of the executed calls, in order. */
export type Calls = string[];

export interface Crash {
  call: string;
  /** The number of the call among those with its name, from 1. */
  nth: number;
  time: CrashTime;
}

/** Wakes a dispatcher. Resolves to its calls when it is idle or has crashed. `delay` is awaited before each call. */
export async function dispatch(
  crash?: Crash,
  delay: (call: string) => Promise<void> = async () => {},
): Promise<Calls> {
  const calls: Calls = [];
  let hasCrashed = false;

  /** Executes a call, or crashes. After a crash no call is executed. */
  async function perform<T>(name: string, make: (share?: number) => Promise<T>): Promise<T> {
    if (hasCrashed) throw new Error("crashed");
    calls.push(name);
    await delay(name);
    const nth = calls.filter((call) => call === name).length;
    if (name !== crash?.call || nth !== crash.nth) return make();
    hasCrashed = true;
    if (crash.time === "after") await make();
    if (crash.time === "halfway") await make(0.5);
    if (crash.time === "announced") await make(0);
    throw new Error(`crashed ${crash.time} ${name}`);
  }

  const real = services();
  const crashing: Services = {
    ask: (name, args) => perform(name, () => real.ask(name, args)),
    openStorage() {
      const storage = real.openStorage();
      return {
        ...storage,
        beginUpload: (...args) => perform("begin", () => storage.beginUpload(...args)),
        put: (...args) => perform("put", () => storage.put(...args)),
        sendPart: (id, offset, part, size) =>
          perform("part", (share = 1) =>
            storage.sendPart(id, offset, part.subarray(0, Math.floor(share * part.length)), size),
          ),
      };
    },
    reportError() {},
  };
  await createDispatcher(dispatcherOptions(crashing)).wake();
  return calls;
}

/** The stack's database and Storage, with the secret key. */
function services(): Services {
  const stack = stackInUse();
  Object.assign(process.env, {
    SUPABASE_URL: stack.url,
    SUPABASE_SERVICE_ROLE_KEY: stack.service_role_key,
  });
  return {
    async ask(name, args) {
      const { data } = await supabaseAsService().rpc(name, args).throwOnError();
      return data;
    },
    openStorage: () => openStorage(AbortSignal.timeout(30_000)),
    reportError() {},
  };
}
