import { ApiError } from "../http/errors.ts";

/** What a provider is asked for: the payment of a session. */
export interface Charge {
  tenant_id: string;
  order_id: string;
  session_id: string;
  /** The payment at the provider; null until it is known. */
  reference: string | null;
  /** A decimal number as text, so that nothing rounds it. */
  amount: string;
  currency: string;
  /** manual: the money is only reserved until it is captured. */
  capture: "automatic" | "manual";
}

/** A refund that the worker has leased. */
export interface LeasedRefund {
  id: string;
  lease: string;
  tenant_id: string;
  session_id: string;
  provider: "manual" | "stripe";
  /** false: money that the order could not take, which may be only reserved. */
  is_booked: boolean;
  /** The payment at the provider. */
  payment_reference: string;
  /** A decimal number as text. */
  amount: string;
  currency: string;
  /** The attempts that have begun, with this one. */
  attempts: number;
}

/** What became of a payment or a refund at a provider. The database records each once, in the order of a list. */
export interface Report {
  tenant_id: string;
  session_id: string;
  status: /** The buyer has paid, and the money is on its way. */
    | "processing"
    | "authorized"
    | "cancelled"
    | "failed"
    | "paid"
    | "refunded"
    | "refund_failed"
    | "payment_reversed"
    /** Only the note. */
    | "noted";
  /** The payment at the provider. */
  reference: string;
  /** A decimal number as text. */
  amount?: string;
  /** A refund that Souk asked for. */
  refund_id?: string;
  /** The refund at the provider. */
  refund_reference?: string;
  /** For those who work on the order. With refund_failed: the reason. */
  note?: string;
}

/** A payment that a provider has begun. */
export interface BegunCharge {
  reference: string | null;
  /** Lets the buyer's browser pay at the provider. */
  clientSecret?: string;
  /** Not empty if the payment that was there is over, or its money is on its way or reserved already. */
  reports: Report[];
}

/** The answer to a refund. A refund that the provider accepts may still fail later, which a webhook reports. */
export type RefundOutcome =
  | { status: "succeeded"; reference: string }
  | { status: "failed"; reference?: string; error: string };

/** A service that takes payments. Its functions throw ProviderAway and ProviderRefusal. */
export interface PaymentProvider {
  /** Whether payments of a tenant may begin. Those that have begun go on, also when this changes. */
  serves(tenantId: string): boolean;
  /** The public key that the buyer's browser needs, if it needs one. */
  publishableKey?(): string | undefined;
  /** Begins the payment of a session, or brings the one that was begun to the present amount. A repetition begins nothing. */
  create(charge: Charge): Promise<BegunCharge>;
  /** Takes the reserved money. */
  capture(charge: Charge): Promise<Report[]>;
  /** Gives money back, once for each refund. Reserved money is released. */
  refund(refund: LeasedRefund): Promise<RefundOutcome>;
  /**
   * Reads a webhook, and from the provider all that it is about. Errors: UNAUTHORIZED, if the signature is not valid;
   * INVALID_JSON.
   */
  readWebhook(text: string, headers: Record<string, string>): Promise<Report[]>;
}

/** The provider cannot be reached, or is busy. The same request may succeed later. */
export class ProviderAway extends ApiError {
  constructor(
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super("SERVICE_UNAVAILABLE", message, [], { "Retry-After": String(retryAfterSeconds ?? 1) });
  }
}

/** The provider refuses the request, and would refuse it again. */
export class ProviderRefusal extends ApiError {
  constructor(
    provider: string,
    message: string,
    /** Whether the provider has no such record. */
    readonly isMissing = false,
    /** The provider's name for the reason. */
    readonly refusedFor?: string,
  ) {
    super("VALIDATION_ERROR", message, [{ field: "provider", value: provider }]);
  }
}
