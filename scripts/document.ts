import type { OpenAPI3, OperationObject } from "openapi-typescript";
import { isOpen } from "../supabase/functions/_shared/http/routes.ts";
import { api } from "../supabase/functions/api/app.ts";

/** Reads the OpenAPI document from the function `api`, in this process. */
export async function readDocument(): Promise<OpenAPI3> {
  const log = console.log;
  // Suppresses the app's log line per request.
  console.log = () => {};
  try {
    const response = await api.request("/api/openapi.json");
    if (!response.ok) throw new Error(`/api/openapi.json answered ${response.status}`);
    return (await response.json()) as OpenAPI3;
  } finally {
    console.log = log;
  }
}

export interface DocumentedOperation {
  /** The method and the path: `GET /api/orders/{id}`. */
  name: string;
  method: string;
  path: string;
  operation: OperationObject;
  /** Whether it works without a token. */
  open: boolean;
  /** Whether visitors may use it, who have the project's public key and name a marketplace. */
  visited: boolean;
  /** The roles that may use it; undefined if it needs no token. */
  roles: readonly string[] | undefined;
  /** Whether it returns a page of a list. */
  paged: boolean;
  /** The status of its success. */
  status: string;
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** Every operation of the OpenAPI document. */
export function operationsIn(document: OpenAPI3): DocumentedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = (item as Partial<Record<string, OperationObject>>)[method];
      if (!operation) return [];
      return {
        name: `${method.toUpperCase()} ${path}`,
        method,
        path,
        operation,
        open: isOpen(operation.security),
        visited: operation.security?.some((way) => "publicKey" in way) ?? false,
        roles: operation["x-roles" as keyof OperationObject] as string[] | undefined,
        paged: (operation.parameters ?? []).some(
          (parameter) =>
            "name" in parameter && (parameter.name === "page" || parameter.name === "after"),
        ),
        status: Object.keys(operation.responses ?? {}).find((one) => one.startsWith("2")) ?? "",
      };
    }),
  );
}

/** The operations of this version's document. */
export const documentedOperations = async () => operationsIn(await readDocument());
