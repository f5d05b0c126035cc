import { wrongFields } from "../http/errors.ts";
import { manual } from "./manual.ts";
import type { PaymentProvider } from "./provider.ts";
import { stripe } from "./stripe.ts";

/** All providers, in the order in which buyers are offered them. */
export const providers = { manual, stripe } satisfies Record<string, PaymentProvider>;

export type ProviderName = keyof typeof providers;

const NAMES = Object.keys(providers) as ProviderName[];

/** The names of the providers by which payments of a tenant may begin. */
export const providersOf = (tenantId: string): ProviderName[] =>
  NAMES.filter((name) => providers[name].serves(tenantId));

/** The provider by which a payment begins. Errors: VALIDATION_ERROR on provider, if it is not one of the tenant. */
export function providerFor(tenantId: string, name: ProviderName): PaymentProvider {
  if (!providers[name].serves(tenantId)) {
    const offered = providersOf(tenantId).join(", ");
    throw wrongFields([
      { field: "provider", message: `is not available here. Use one of: ${offered}.`, value: name },
    ]);
  }
  return providers[name];
}
