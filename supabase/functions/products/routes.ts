import { products as catalog } from "../_shared/catalog/routes.ts";
import { digitalOfProduct } from "../_shared/digital/routes.ts";
import { createRoutes } from "../_shared/http/routes.ts";
import { imports } from "../_shared/imports/routes.ts";
import { inventoryOfProduct } from "../_shared/inventory/routes.ts";
import { searchOfProducts } from "../_shared/search/routes.ts";
import { calendarOfProduct } from "../_shared/services/routes.ts";
import { reviewsOfProduct } from "../_shared/suppliers/product_approvals.ts";

/** All routes below /products, of several capabilities. The catalog's /{id} comes last. */
export const products = createRoutes();

products.route("/", imports);
products.route("/", inventoryOfProduct);
products.route("/", digitalOfProduct);
products.route("/", calendarOfProduct);
products.route("/", searchOfProducts);
products.route("/", reviewsOfProduct);
products.route("/", catalog);
