import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { OpenAPI3, OperationObject, RequestBodyObject } from "openapi-typescript";

/** An operation of the document. */
export interface Operation {
  /** Its method and path: `GET /api/orders/{id}`. */
  name: string;
  method: string;
  segments: string[];
  /** The JSON pointer to it, as a URI fragment. */
  pointer: string;
  described: OperationObject;
}

/** A request, and the status and type of its answer. A body that is undefined is not compared. */
export interface Exchange {
  method: string;
  /** The path below the address of the functions, with the query. */
  path: string;
  sent?: unknown;
  status: number;
  /** The media type of the answer; empty if it has no body. */
  type: string;
  answered?: unknown;
}

export interface Contract {
  /** What the document does not allow in a request that succeeded, or in an answer. */
  faultsIn(exchange: Exchange): string[];
}

interface Parameter {
  in: string;
  name: string;
  style?: string;
}

const JSON_TYPE = "application/json";
const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** The contract that a document states. Validators are compiled when they are first used. */
export function createContract(document: OpenAPI3): Contract {
  const ajv = new Ajv2020({ strict: false, verbose: true });
  // Parameters are texts, whose types their schemas give.
  const texts = new Ajv2020({ strict: false, verbose: true, coerceTypes: "array" });
  for (const one of [ajv, texts]) {
    formats.default(one);
    one.addFormat("idn-email", /^[^@\s]+@[^@\s]+$/);
    one.addFormat("iri", (text) => URL.canParse(text));
    one.addSchema(document, "document", undefined, false);
  }
  const operations = operationsIn(document);

  /** The operation of a request. The document has the resources once, below /api. */
  function find(method: string, pathname: string): Operation | undefined {
    const places = [pathname, `/api${pathname}`].map((path) => path.replace(/\/$/, "").split("/"));
    const asked = method === "HEAD" ? "GET" : method;
    return operations.find(
      (operation) =>
        operation.method === asked && places.some((place) => fits(operation.segments, place)),
    );
  }

  function faultOf(by: Ajv2020, pointer: string, value: unknown): string | undefined {
    const validate = by.getSchema(`document#${pointer}`);
    if (!validate) return `no schema at ${decodeURIComponent(pointer)}`;
    return validate(value) ? undefined : inWords(validate.errors ?? []);
  }

  function faultsOfQuery({ described, pointer }: Operation, query: URLSearchParams): string[] {
    return ((described.parameters ?? []) as Parameter[]).flatMap(
      ({ in: place, name, style }, i) => {
        // Empty parameters count as not sent.
        const values = query.getAll(name).filter(Boolean);
        if (place !== "query" || style || values.length === 0) return [];
        const value = values.length > 1 ? values : values[0];
        const fault = faultOf(texts, `${pointer}/parameters/${i}/schema`, value);
        return fault ? [`the accepted parameter ${name}: ${fault}`] : [];
      },
    );
  }

  function faultsOfBody(pointer: string, value: unknown): string[] {
    return [faultOf(ajv, `${pointer}/content/application~1json/schema`, value) ?? []].flat();
  }

  return {
    faultsIn({ method, path, sent, status, type, answered }) {
      const { pathname, searchParams } = new URL(path, "http://souk.invalid");
      const operation = find(method, pathname);
      if (!operation) return [];
      const { described, pointer } = operation;
      const requestBody = described.requestBody as RequestBodyObject | undefined;
      const named = (fault: string) => `${operation.name} ${status}: ${fault}`;
      const answer = described.responses?.[status];
      if (!answer || "$ref" in answer) return [named("the status is not described")];
      if (type && !(type in (answer.content ?? {}))) return [named(`${type} is not described`)];
      const faults =
        answered === undefined ? [] : faultsOfBody(`${pointer}/responses/${status}`, answered);
      if (status < 300) {
        faults.push(...faultsOfQuery(operation, searchParams));
        const isDescribed = JSON_TYPE in (requestBody?.content ?? {});
        const isAccepted = sent !== undefined && isDescribed && !hasRefusedEntries(answered);
        const ofBody = isAccepted ? faultsOfBody(`${pointer}/requestBody`, sent) : [];
        faults.push(...ofBody.map((fault) => `the accepted body: ${fault}`));
      }
      return faults.map(named);
    },
  };
}

/** The operations; those whose path has fewer parameters first. */
function operationsIn({ paths = {} }: OpenAPI3): Operation[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): Operation[] => {
      const described = (item as Partial<Record<string, OperationObject>>)[method];
      if (!described) return [];
      const segments = path.split("/");
      const pointer = `/paths/${encodeURIComponent(segments.join("~1"))}/${method}`;
      const verb = method.toUpperCase();
      return [{ name: `${verb} ${path}`, method: verb, segments, pointer, described }];
    }),
  );
  const parametersIn = ({ segments }: Operation) => segments.filter(isParameter).length;
  return all.sort((one, other) => parametersIn(one) - parametersIn(other));
}

const isParameter = (segment: string) => segment.startsWith("{");

const fits = (segments: string[], place: string[]) =>
  segments.length === place.length &&
  segments.every((segment, i) => isParameter(segment) || segment === place[i]);

/** Whether an answer to several entries, such as events, reports that some of them are refused. */
function hasRefusedEntries(answered: unknown): boolean {
  const { results } = (answered ?? {}) as { results?: { error?: unknown }[] };
  return Array.isArray(results) && results.some(({ error }) => error !== undefined);
}

/** The first errors, each with its place and the value there. */
function inWords(errors: ErrorObject[]): string {
  const shown = errors.slice(0, 3).map(({ instancePath, message, params, data }) => {
    const value = JSON.stringify(data)?.slice(0, 100);
    return `${instancePath || "it"} ${message} ${JSON.stringify(params)}, and is ${value}`;
  });
  return shown.join("; ");
}
