import {
  cleaned,
  isEncoded,
  type Mailbox,
  type Message,
  NotSent,
  type Transport,
  withoutSecrets,
} from "./message.ts";

const ADDRESS = "https://api.resend.com";
/** Timeout of a request, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Longest wait that Retry-After can request, in seconds. */
const LONGEST_WAIT = 86_400;

/** Sends mails with Resend's HTTP interface. Tests give another `address`. */
export function openResend(key: string, address = ADDRESS): Transport {
  return {
    async send(message, before) {
      const body = JSON.stringify(mailOf(cleaned(message)));
      await before;
      const response = await answered(`${address}/emails`, key, message.id, body);
      const answer = await readAnswer(response);
      if (response.ok) return { providerId: typeof answer.id === "string" ? answer.id : null };
      throw refused(response, answer, key);
    },
    async close() {},
  };
}

async function answered(url: string, key: string, id: string, body: string): Promise<Response> {
  try {
    return await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": id,
      },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    throw new NotSent(
      withoutSecrets(`Resend was not reached: ${(error as Error).message}`, [key]),
      "temporary",
    );
  }
}

function mailOf({ from, to, replyTo, subject, html, text, headers }: Message) {
  return {
    from: mailbox(from),
    to: [mailbox(to)],
    ...(replyTo ? { reply_to: replyTo } : {}),
    subject,
    html,
    text,
    headers,
  };
}

function mailbox({ name, address }: Mailbox): string {
  if (name === "") return address;
  // An encoded word in quotes is none.
  return `${isEncoded(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`} <${address}>`;
}

type Answer = { id?: unknown; message?: unknown };

async function readAnswer(response: Response): Promise<Answer> {
  try {
    return ((await response.json()) as Answer | null) ?? {};
  } catch {
    return {};
  }
}

function refused({ status, headers }: Response, { message }: Answer, key: string): NotSent {
  const words = typeof message === "string" ? `: ${message}` : "";
  const reason = withoutSecrets(`Resend answered ${status}${words}`, [key]);
  if (status === 429) {
    return new NotSent(reason, "throttled", {
      retryAfterSeconds: secondsOf(headers.get("retry-after")),
    });
  }
  // The operator may correct a wrong key before the last attempt. 409: another attempt of the same mail is in flight.
  const isFinal = status >= 400 && status < 500 && ![401, 403, 409].includes(status);
  return new NotSent(reason, isFinal ? "permanent" : "temporary");
}

/** `Retry-After`, a number of seconds or a date, as seconds from now. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,9}$/.test(header)
    ? Number(header)
    : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds)
    ? undefined
    : Math.min(Math.max(Math.ceil(seconds), 0), LONGEST_WAIT);
}
