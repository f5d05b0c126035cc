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
  /** Whether this runs where connections to ports 25 and 587 are blocked. */
  isHosted?: boolean;
  /** Where Resend is, in tests. */
  resendAddress?: string;
}

/** What `MAIL_URL` may be. */
const FORMS = "smtps://user:password@host:465, smtp://host:port or resend://KEY";

/** What is blocked for hosted functions. */
const BLOCKED = [25, 587];

/**
 * Opens the way that mails go, by its address: `smtps://user:password@host:465`, `smtp://host:port` or `resend://KEY`.
 * Throws an Error that says what to do, and nothing of a password, where the address is none of these.
 */
export function openTransport(url: string, options: TransportOptions = {}): Transport {
  const { isHosted = false, resendAddress } = options;
  const [, key] = /^resend:\/\/([\w-]+)\/?$/.exec(url) ?? [];
  if (key !== undefined) return openResend(key, resendAddress);
  const server = serverOf(url);
  if (!server) throw new Error(`MAIL_URL has none of the forms ${FORMS}.`);
  if (isHosted && BLOCKED.includes(server.port) && !isOwnMachine(server.host)) {
    throw new Error(
      `Hosted functions do not reach port ${server.port}: use smtps://…:465 or resend://KEY in MAIL_URL.`,
    );
  }
  return openSmtp(server);
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
    // What is wrong with it stands beside the password in what URL and decodeURIComponent throw.
    return null;
  }
}
