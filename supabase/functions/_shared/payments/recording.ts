import { databaseAsService } from "../http/authenticate.ts";
import type { Report } from "./provider.ts";
import type { ProviderName } from "./providers.ts";

/** Records what a provider reports. A repetition changes nothing. */
export async function recordReports(
  provider: ProviderName,
  reports: readonly Report[],
  signal: AbortSignal,
): Promise<void> {
  if (reports.length === 0) return;
  await databaseAsService(signal)
    .rpc("record_payment_reports", { provider, reports })
    .throwOnError();
}
