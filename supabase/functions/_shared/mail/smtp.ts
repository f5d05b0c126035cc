import { Transform } from "node:stream";
import { createTransport, type SendMailOptions } from "nodemailer";
import { cleaned, type Message, NotSent, type Transport, withoutSecrets } from "./message.ts";

/** Where and as whom mails are handed over. */
export interface SmtpServer {
  host: string;
  port: number;
  /** Whether the connection is encrypted from its beginning; otherwise as soon as the server offers it. */
  isEncrypted: boolean;
  user?: string;
  password?: string;
}

/** Milliseconds that a server has for each thing it does. */
const PATIENCE = 10_000;

/** Sends mails by SMTP, one after the other over a connection that is kept. */
export function openSmtp(server: SmtpServer): Transport {
  const { host, port, isEncrypted, user, password } = server;
  const isLoopback = isOwnMachine(host);
  const pool = createTransport({
    pool: true,
    maxConnections: 1,
    maxMessages: 100,
    host,
    port,
    secure: isEncrypted,
    // A password goes over no wire that others read.
    requireTLS: !isEncrypted && password !== undefined && !isLoopback,
    // A catcher on this machine has a certificate of its own making, if any.
    ignoreTLS: !isEncrypted && isLoopback,
    ...(user !== undefined ? { auth: { user, pass: password ?? "" } } : {}),
    connectionTimeout: PATIENCE,
    greetingTimeout: PATIENCE,
    socketTimeout: PATIENCE,
    dnsTimeout: PATIENCE,
    // What a text names is not looked up on this machine or anywhere else.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  pool.use("stream", (mail, done) => {
    const { before } = mail.data as Held;
    mail.message.transform(() => endingAfter(before));
    done();
  });
  const secrets = [
    password ?? "",
    ...(password ? [encodedPlain(user, password), btoaOf(password)] : []),
  ];
  return {
    async send(message, before = Promise.resolve()) {
      try {
        const mail: Held = { ...mailOf(cleaned(message)), before };
        const { messageId } = await pool.sendMail(mail);
        return { providerId: messageId ?? null };
      } catch (error) {
        throw error instanceof NotSent ? error : notSent(error, secrets);
      }
    },
    async close() {
      pool.close();
    },
  };
}

/** A mail for nodemailer, whose end is held back until something has come about. */
interface Held extends SendMailOptions {
  before: Promise<unknown>;
}

/**
 * A server has a mail with the line that ends it: until then all of it may be on its way, and none counts. It goes in one
 * piece, and not in one for every few lines that nodemailer makes.
 */
function endingAfter(before: Promise<unknown>): Transform {
  const parts: Buffer[] = [];
  return new Transform({
    transform(part: Buffer, _, done) {
      parts.push(part);
      done();
    },
    flush(done) {
      this.push(Buffer.concat(parts));
      before.then(() => done(), done);
    },
  });
}

/** Whether a host is the machine that this runs on. */
export const isOwnMachine = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

function mailOf({ id, from, to, replyTo, subject, html, text, headers }: Message) {
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  return {
    messageId: `<${id}@${domain}>`,
    from,
    to,
    ...(replyTo ? { replyTo } : {}),
    subject,
    text,
    html,
    headers,
    // Lines of any length, in any language, become short ones that every server takes.
    encoding: "quoted-printable" as const,
    textEncoding: "quoted-printable" as const,
  };
}

const btoaOf = (text: string) => Buffer.from(text).toString("base64");
const encodedPlain = (user = "", password = "") => btoaOf(`\0${user}\0${password}`);

/** What a server answers, by nodemailer's words for it. */
interface SmtpError {
  message: string;
  code?: string;
  responseCode?: number;
  response?: string;
}

/** Nobody is at that address: all of 5.1, but for what is said of the sender's. */
const ADDRESS_GONE = /^5\d\d[ -]5\.1\.(?![78]\b)\d/;

function notSent(error: unknown, secrets: readonly string[]): NotSent {
  const { message, code, response } = error as SmtpError;
  if (response !== undefined && ADDRESS_GONE.test(response)) {
    return new NotSent(withoutSecrets(response, secrets), "permanent", { addressGone: true });
  }
  // Servers say 5xx of much that passes: a list of theirs, a quota, a policy of the day.
  const said = withoutSecrets(response || message, secrets);
  return new NotSent(code && !response ? `${said} (${code})` : said, "temporary");
}
