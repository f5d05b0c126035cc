import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { databaseAsService } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { wasReplayed } from "../http/perform.ts";
import type { Charge, PaymentProvider } from "./provider.ts";
import { recordReports } from "./recording.ts";
import { begunPayment, type newPaymentSession, paymentSession } from "./schema.ts";

type Session = z.infer<typeof paymentSession>;

/** A payment as `begin_payment` has begun it. */
export interface Begun {
  session: Session;
  charge: Charge;
  instructions: string | null;
}

/**
 * Asks the provider for a payment that was begun, or goes on with the one that was begun before. Errors: those of begin_payment;
 * VALIDATION_ERROR on provider, if it refuses the payment; SERVICE_UNAVAILABLE, if it cannot be reached.
 */
export async function askProvider(
  c: Context<Env>,
  provider: PaymentProvider,
  args: z.infer<typeof newPaymentSession> & { order_id: string },
  first: Begun,
): Promise<z.infer<typeof begunPayment>> {
  const again = async (): Promise<Begun> =>
    (await c.get("db").rpc("begin_payment", args).throwOnError()).data;

  // The first answer to a repeated request may have an old price.
  let begun = wasReplayed(c) && args.provider !== "manual" ? await again() : first;
  let asked = await ask(begun);
  // The payment that was there is over: an authorization has expired, or the order had another price.
  if (["cancelled", "refused"].includes(asked.session.status)) {
    begun = await again();
    asked = await ask(begun);
  }
  return begunPayment.parse({
    ...asked.session,
    client_secret: asked.clientSecret,
    publishable_key: provider.publishableKey?.(),
    instructions: begun.instructions ?? undefined,
  });

  async function ask({ session, charge }: Begun) {
    const { reference, clientSecret, reports } = await provider.create(charge);
    if (reference === null) return { session, clientSecret };
    const signal = c.get("signal");
    const { tenant_id, session_id } = charge;
    await recordReports(args.provider, reports, signal);
    const { data } = await databaseAsService(signal)
      .rpc("record_payment_session", { tenant_id, session_id, reference })
      .throwOnError();
    return { session: paymentSession.parse(data), clientSecret };
  }
}
