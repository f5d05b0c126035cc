import { Buffer } from "node:buffer";
import { Transform } from "node:stream";
import { createTransport, type SendMailOptions } from "nodemailer";
import { cleaned, type Message, NotSent, type Transport, withoutSecrets } from "./message.ts";

/** An SMTP server and the account on it. */
export interface SmtpServer {
  host: string;
  port: number;
  /** Whether the connection uses TLS from the start; otherwise STARTTLS is used if the server offers it. */
  isEncrypted: boolean;
  user?: string;
  password?: string;
}

/** Encoded words as nodemailer writes them as the name of an address: in quotes, where they are none. */
const QUOTED_WORDS = /^"((?:=\?UTF-8\?B\?[A-Za-z\d+/]+=*\?= ?)+)"(?= <)/;

/** Default timeout of each step of a connection, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Sends mails by SMTP, one after the other over one connection. */
export function openSmtp(server: SmtpServer, timeoutMs = TIMEOUT_MS): Transport {
  const { host, port, isEncrypted, user, password } = server;
  const isLoopback = isOwnMachine(host);
  const pool = createTransport({
    pool: true,
    maxConnections: 1,
    maxMessages: 100,
    host,
    port,
    secure: isEncrypted,
    // A password is never sent without TLS to another machine.
    requireTLS: !isEncrypted && password !== undefined && !isLoopback,
    // A mail catcher on this machine has no certificate that could be verified.
    ignoreTLS: !isEncrypted && isLoopback,
    ...(user !== undefined ? { auth: { user, pass: password ?? "" } } : {}),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // Texts cannot make nodemailer read files or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  pool.use("stream", (mail, done) => {
    const { before } = mail.data as Held;
    const encode = mail.message.encodeHeaderValue.bind(mail.message);
    mail.message.encodeHeaderValue = (key, value) => encode(key, value).replace(QUOTED_WORDS, "$1");
    mail.message.transform(() => endingAfter(before));
    done();
  });
  const secrets = [
    password ?? "",
    ...(password ? [encodedPlain(user, password), btoaOf(password)] : []),
  ];
  return {
    async send(message, before = Promise.resolve()) {
      // It can reject before nodemailer has a connection and reads the message, and Deno ends a process for that.
      before.catch(() => {});
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

/** A mail for nodemailer that is not completed until `before` resolves. */
interface Held extends SendMailOptions {
  before: Promise<unknown>;
}

/**
 * Sends the message in one piece, and holds back its end until `before` resolves. A server accepts a mail only with the line
 * that ends it.
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

/** Whether a host is this machine. */
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
    // Every server accepts the short lines of ASCII that this makes.
    encoding: "quoted-printable" as const,
    textEncoding: "quoted-printable" as const,
  };
}

const btoaOf = (text: string) => Buffer.from(text).toString("base64");
const encodedPlain = (user = "", password = "") => btoaOf(`\0${user}\0${password}`);

/** An error of nodemailer. */
interface SmtpError {
  message: string;
  code?: string;
  responseCode?: number;
  response?: string;
}

/** The address does not exist: all of 5.1, except for 5.1.7 and 5.1.8, which are about the sender. */
const ADDRESS_GONE = /^5\d\d[ -]5\.1\.(?![78]\b)\d/;

function notSent(error: unknown, secrets: readonly string[]): NotSent {
  const { message, code, response } = error as SmtpError;
  if (response !== undefined && ADDRESS_GONE.test(response)) {
    return new NotSent(withoutSecrets(response, secrets), "permanent", { addressGone: true });
  }
  // Servers answer 5xx for many reasons that pass, such as a block list or a quota.
  const answer = withoutSecrets(response || message, secrets);
  return new NotSent(code && !response ? `${answer} (${code})` : answer, "temporary");
}
