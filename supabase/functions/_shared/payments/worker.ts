import { databaseAsService } from "../http/authenticate.ts";
import type { Arguments, FunctionName } from "../http/env.ts";
import { createWorker } from "../http/worker.ts";
import { createLoop } from "../jobs/loop.ts";
import { type LeasedRefund, ProviderAway } from "./provider.ts";
import { providers } from "./providers.ts";

const DATABASE_TIMEOUT_MS = 20_000;
/** Number of refunds per take, which are asked for at the same time. Together they take less than a lease (2 minutes). */
const BATCH = 10;
/** Maximum number of refunds of a round. Then another request is woken. */
const ROUND = 100;

/** The error that a tenant sees if the cause is ours. */
const OUR_FAULT = "Something went wrong on our side.";

/** The result of an attempt, as record_refund takes it. */
interface Outcome {
  outcome: "succeeded" | "failed" | "temporary";
  reference?: string | undefined;
  error?: string;
  retry_after_seconds?: number | undefined;
}

const call = async <Name extends FunctionName>(name: Name, args: Arguments<Name>) => {
  const db = databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS));
  const { data } = await db.rpc(name, args).throwOnError();
  return data;
};

const reportError = (error: unknown) => console.error(JSON.stringify({ payments: String(error) }));

/** Asks the providers for refunds until none is due. */
async function askForRefunds(): Promise<void> {
  for (let asked = 0; asked < ROUND; asked += BATCH) {
    const refunds: LeasedRefund[] = await call("lease_refunds", { batch: BATCH });
    if (refunds.length === 0) return;
    await Promise.all(refunds.map(ask));
  }
  await call("lease_refunds", { batch: 0 });
}

/** Asks for one refund. If its outcome cannot be recorded, it is due again when its lease ends. */
async function ask(refund: LeasedRefund): Promise<void> {
  const { id: refund_id, lease } = refund;
  try {
    await call("record_refund", { refund_id, lease, ...(await attempt(refund)) });
  } catch (error) {
    reportError(error);
  }
}

async function attempt(refund: LeasedRefund): Promise<Outcome> {
  try {
    const { status, ...result } = await providers[refund.provider].refund(refund);
    return { outcome: status, ...result };
  } catch (error) {
    if (error instanceof ProviderAway) {
      const { message, retryAfterSeconds } = error;
      return { outcome: "temporary", error: message, retry_after_seconds: retryAfterSeconds };
    }
    reportError(error);
    return { outcome: "temporary", error: OUR_FAULT };
  }
}

const refunding = createLoop({ round: askForRefunds, reportError });

/** The entry point that pg_net and a job call when refunds are due. */
export const refundWorker = createWorker(() => refunding.wake());
