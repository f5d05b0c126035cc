import type { Http } from "./http.js";
import { importsOf } from "./imports.js";
import { productsMethods } from "./methods.generated.js";
import type { Operations } from "./operations.js";

export const productsOf = (operations: Operations, http: Http) => ({
  ...productsMethods(operations),
  ...importsOf(http),
});

/** The products of suppliers. */
export interface Products extends ReturnType<typeof productsOf> {}
