import { createRoutes } from "../_shared/http/routes.ts";
import { moneyOfSuppliers } from "../_shared/payouts/suppliers.ts";
import { suppliers as tenants } from "../_shared/tenancy/suppliers.ts";

/** All that answers below /api/suppliers, of whichever capability. */
export const suppliers = createRoutes();

suppliers.route("/", moneyOfSuppliers);
suppliers.route("/", tenants);
