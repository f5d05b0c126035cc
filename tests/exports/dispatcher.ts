import { createDispatcher } from "../../supabase/functions/_shared/exports/dispatch.ts";
import { type Places, workAt } from "../../supabase/functions/_shared/exports/work.ts";
import { openStorage } from "../../supabase/functions/_shared/media/storage.ts";
import { stackInUse, supabaseAsService } from "../souk.js";

// A dispatcher that runs here, on the stack's own database and Storage, and dies where a test wants it to.

/** How it dies of a call: before anybody hears of it, when all but the answer has come, or in its middle. */
export type Death = "before" | "after" | "halfway";

/** What it asks of the database and Storage, in sequence. */
export type Calls = string[];

export interface Doom {
  call: string;
  /** The how manieth of its name, from 1 on. */
  nth: number;
  how: Death;
}

/** Wakes a dispatcher, and resolves when it is idle or dead, with what it has asked. */
export async function dispatch(
  doom?: Doom,
  pace: (call: string) => Promise<void> = async () => {},
): Promise<Calls> {
  const calls: Calls = [];
  let isDead = false;

  /** Makes a call, unless it dies of it. A dead one asks nothing, and hears nothing. */
  async function live<T>(name: string, make: (share?: "half") => Promise<T>): Promise<T> {
    if (isDead) throw new Error("dead");
    calls.push(name);
    await pace(name);
    const nth = calls.filter((call) => call === name).length;
    if (name !== doom?.call || nth !== doom.nth) return make();
    isDead = true;
    if (doom.how === "after") await make();
    if (doom.how === "halfway") await make("half");
    throw new Error(`died ${doom.how} ${name}`);
  }

  const mine = places();
  const dying: Places = {
    ask: (name, args) => live(name, () => mine.ask(name, args)),
    openStorage() {
      const storage = mine.openStorage();
      return {
        ...storage,
        beginUpload: (...args) => live("begin", () => storage.beginUpload(...args)),
        put: (...args) => live("put", () => storage.put(...args)),
        sendPart: (id, offset, part, size) =>
          live("part", (share) =>
            share
              ? storage.sendPart(id, offset, part.subarray(0, part.length >> 1))
              : storage.sendPart(id, offset, part, size),
          ),
      };
    },
    complain() {},
  };
  await createDispatcher(workAt(dying)).wake();
  return calls;
}

/** The stack's database and Storage, as the service reaches them. */
function places(): Places {
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
    complain() {},
  };
}
