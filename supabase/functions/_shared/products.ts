import { products as catalog } from "./catalog/routes.ts";
import { digitalOfProduct } from "./digital/routes.ts";
import { createRoutes } from "./http/door.ts";
import { imports } from "./imports/routes.ts";
import { inventoryOfProduct } from "./inventory/routes.ts";
import { searchOfProducts } from "./search/routes.ts";
import { calendarOfProduct } from "./services/routes.ts";

/** All that answers below /products, of whichever capability; the catalog's /{id} comes last. */
export const products = createRoutes();

products.route("/", imports);
products.route("/", inventoryOfProduct);
products.route("/", digitalOfProduct);
products.route("/", calendarOfProduct);
products.route("/", searchOfProducts);
products.route("/", catalog);
