import type { Transport } from "./message.ts";
import { openResend } from "./resend.ts";
import { isOwnMachine, openSmtp, type SmtpServer } from "./smtp.ts";

export {
  type Mailbox,
  type Message,
  NotSent,
  type NotSentKind,
  type Transport,
} from "./message.ts";

export interface TransportOptions {
  /** Whether this runs on the hosted platform, which blocks ports 25 and 587. */
  isHosted?: boolean;
  /** The address of Resend's interface, in tests. */
  resendAddress?: string;
  /** Timeout of each step of an SMTP connection, in milliseconds. Default: 10,000. */
  timeoutMs?: number;
}

/** The forms of `MAIL_URL`. */
const FORMS = "smtps://user:password@host:465, smtp://host:port or resend://KEY";

/** Ports that hosted functions cannot reach. */
const BLOCKED = [25, 587];

/**
 * Opens a transport by its address: `smtps://user:password@host:465`, `smtp://host:port` or `resend://KEY`. Throws an
 * Error, without the password, if the address has none of these forms or cannot be reached from hosted functions.
 */
export function openTransport(url: string, options: TransportOptions = {}): Transport {
  const { isHosted = false, resendAddress, timeoutMs } = options;
  const [, key] = /^resend:\/\/([\w-]+)\/?$/.exec(url) ?? [];
  if (key !== undefined) return openResend(key, resendAddress);
  const server = serverOf(url);
  if (!server) throw new Error(`MAIL_URL has none of the forms ${FORMS}.`);
  if (isHosted && BLOCKED.includes(server.port) && !isOwnMachine(server.host)) {
    throw new Error(
      `Hosted functions do not reach port ${server.port}: use smtps://…:465 or resend://KEY in MAIL_URL.`,
    );
  }
  return openSmtp(server, timeoutMs);
}

function serverOf(url: string): SmtpServer | null {
  const isEncrypted = /^smtps:\/\//i.test(url);
  if (!isEncrypted && !/^smtp:\/\//i.test(url)) return null;
  try {
    const { hostname, port, username, password } = new URL(url);
    if (hostname === "") return null;
    return {
      host: decodeURIComponent(hostname).replace(/^\[(.*)\]$/, "$1"),
      port: port === "" ? (isEncrypted ? 465 : 587) : Number(port),
      isEncrypted,
      ...(username === ""
        ? {}
        : { user: decodeURIComponent(username), password: decodeURIComponent(password) }),
    };
  } catch {
    // The errors of URL and decodeURIComponent contain the password.
    return null;
  }
}
