import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

// How Stripe's API is spoken: keys, form bodies, errors and idempotency, as Stripe documents them. stripe.ts has the
// objects.

// biome-ignore lint/suspicious/noExplicitAny: an object of Stripe's API.
export type StripeObject = any;

/** The fields of a form or a query, by their names as sent, such as `metadata[order_id]`. */
export type Form = Record<string, string>;

/** A request as it arrived. */
export interface Asked {
  /** Such as `POST /v1/payment_intents/{id}/capture`. */
  operation: string;
  form: Form;
  idempotencyKey: string | undefined;
  version: string | undefined;
}

export interface StripeAnswer {
  status: number;
  headers?: Record<string, string>;
  body: StripeObject;
}

/** An operation: `ids` are those in the path. */
export type Operation = (form: Form, ...ids: string[]) => StripeObject;

/** Answers one request in another way. `perform` does what was asked. Null closes the connection without an answer. */
export type Interception = (
  perform: () => Promise<StripeAnswer>,
) => Promise<StripeAnswer | null> | StripeAnswer | null;

/** A refusal of Stripe. */
export class StripeRefusal extends Error {
  constructor(
    readonly status: number,
    readonly error: StripeObject,
    /** Whether the parameters are wrong: the answer is not stored with an idempotency key. */
    readonly isInvalid = false,
  ) {
    super(error.message);
  }
}

/** Refuses parameters. */
export function invalid(message: string, more: object = {}): never {
  throw new StripeRefusal(400, { type: "invalid_request_error", message, ...more }, true);
}

/** Refuses what the state of an object does not allow. */
export function unexpected(code: string, message: string, more: object = {}): never {
  throw new StripeRefusal(400, { type: "invalid_request_error", code, message, ...more });
}

/** Refuses parameters that an operation does not have. */
export function expectOnly(form: Form, names: string): void {
  for (const sent of Object.keys(form)) {
    const name = sent.replace(/\[.*$/, "");
    if (names.split(" ").includes(name)) continue;
    invalid(`Received unknown parameter: ${name}`, { code: "parameter_unknown", param: name });
  }
}

/** The fields of a form with one name, such as `metadata[…]`. */
export const fieldsOf = (form: Form, name: string): Form =>
  Object.fromEntries(
    Object.entries(form).flatMap(([sent, value]) => {
      const [, key] = new RegExp(`^${name}\\[([^\\]]*)\\]$`).exec(sent) ?? [];
      return key === undefined ? [] : [[key, value]];
    }),
  );

/** The values of a list, such as `expand[]`. */
export const listOf = (form: Form, name: string): string[] =>
  Object.entries(form).flatMap(([sent, value]) =>
    new RegExp(`^${name}\\[\\d*\\]$`).test(sent) ? [value] : [],
  );

/** A path without its ids, and these. */
function operationOf(method: string, path: string): [operation: string, ids: string[]] {
  const ids: string[] = [];
  const named = path.replace(/\/((pi|ch|re|du)_[^/]+)/g, (_, id: string) => {
    ids.push(decodeURIComponent(id));
    return "/{id}";
  });
  return [`${method} ${named}`, ids];
}

/** The form of a request: its body, or the query of its address. */
async function formOf(request: IncomingMessage, query: URLSearchParams): Promise<Form> {
  const body = await text(request);
  const type = request.headers["content-type"] ?? "";
  if (body && !type.startsWith("application/x-www-form-urlencoded")) {
    invalid(
      `Invalid request (check that your POST content type is application/x-www-form-urlencoded). It is ${type}`,
    );
  }
  return Object.fromEntries([...query, ...new URLSearchParams(body)]);
}

interface Stored {
  parameters: string;
  /** Undefined while the first request is in progress. */
  answer?: StripeAnswer;
}

/** Serves operations as Stripe's API to those who have the key. */
export async function serveStripe(secretKey: string, operations: Record<string, Operation>) {
  const asked: Asked[] = [];
  const byKey = new Map<string, Stored>();
  const interceptions: { operation: string; interception: Interception }[] = [];

  function perform({ operation, form }: Asked, ids: string[]): StripeAnswer {
    const action = operations[operation];
    if (!action) {
      const message = `Unrecognized request URL (${operation}).`;
      throw new StripeRefusal(404, { type: "invalid_request_error", message }, true);
    }
    // A copy: the object may change before it is sent.
    return { status: 200, body: structuredClone(action(form, ...ids)) };
  }

  function performOnce(one: Asked, ids: string[]): StripeAnswer {
    const key = one.operation.startsWith("POST ") ? one.idempotencyKey : undefined;
    if (key === undefined) return perform(one, ids);
    const parameters = JSON.stringify([one.operation, ids, one.form]);
    const earlier = byKey.get(key);
    if (earlier && earlier.parameters !== parameters) {
      const message =
        "Keys for idempotent requests can only be used with the same parameters they were first used with. " +
        `Try using a key other than '${key}' if you meant to execute a different request.`;
      throw new StripeRefusal(400, { type: "idempotency_error", message }, true);
    }
    if (earlier?.answer) {
      return { ...earlier.answer, headers: { "idempotent-replayed": "true" } };
    }
    byKey.set(key, { parameters });
    try {
      const answer = perform(one, ids);
      byKey.set(key, { parameters, answer });
      return answer;
    } catch (error) {
      if (!(error instanceof StripeRefusal) || error.isInvalid) byKey.delete(key);
      else byKey.set(key, { parameters, answer: refusalOf(error) });
      throw error;
    }
  }

  const refusalOf = ({ status, error }: StripeRefusal): StripeAnswer => ({
    status,
    body: { error },
  });

  async function answerTo(request: IncomingMessage): Promise<StripeAnswer | null> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://stripe");
    const [operation, ids] = operationOf(request.method ?? "", pathname);
    try {
      const form = await formOf(request, searchParams);
      const basic = `Basic ${Buffer.from(`${secretKey}:`).toString("base64")}`;
      const { authorization } = request.headers;
      if (authorization !== `Bearer ${secretKey}` && authorization !== basic) {
        const message = `Invalid API Key provided: ${authorization?.slice(0, 20)}****`;
        throw new StripeRefusal(401, { type: "invalid_request_error", message });
      }
      const one: Asked = {
        ...{ operation, form },
        idempotencyKey: request.headers["idempotency-key"] as string | undefined,
        version: request.headers["stripe-version"] as string | undefined,
      };
      asked.push(one);
      const at = interceptions.findIndex((one) => one.operation === operation);
      const [taken] = at < 0 ? [] : interceptions.splice(at, 1);
      const doIt = async () => performOnce(one, ids);
      return await (taken ? taken.interception(doIt) : doIt());
    } catch (error) {
      if (error instanceof StripeRefusal) return refusalOf(error);
      throw error;
    }
  }

  const server = createServer(async (request, response) => {
    try {
      const answer = await answerTo(request);
      if (!answer) return void request.socket.destroy();
      response.writeHead(answer.status, {
        "content-type": "application/json",
        "request-id": `req_${asked.length}`,
        ...answer.headers,
      });
      response.end(JSON.stringify(answer.body));
    } catch (error) {
      // A fault of a test, and not one that Stripe could have.
      console.error(error);
      response.writeHead(500).end(JSON.stringify({ error: { type: "api_error", message: "" } }));
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All requests with a valid key, in order. */
    asked,
    /** Answers the next request of an operation in another way. */
    once: (operation: string, interception: Interception): void => {
      interceptions.push({ operation, interception });
    },
    /** Forgets all idempotency keys, as Stripe may after a day. */
    forgetKeys: (): void => byKey.clear(),
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
