import { once } from "node:events";
import type { Socket } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { listen } from "../listen.js";
import type { Mailbox } from "./mailbox.js";
import { parseMessage } from "./message.js";

/** The SMTP server of the mailbox. */
export interface Smtp {
  /** `smtp://127.0.0.1:54325` */
  url: string;
  /** Closes the server and all connections, after a reply with code 421. */
  close(): Promise<void>;
}

/**
 * Maximum size of a mail in bytes, as large as mail providers allow; a larger mail is refused with
 * 552.
 */
const LARGEST = 25 * 2 ** 20;

/**
 * Receives mails on `port` (0: any free one) into the mailbox. Throws the stack's `Refusal` when
 * the port is taken.
 */
export async function openSmtp(port: number, mailbox: Mailbox, size = LARGEST): Promise<Smtp> {
  const smtp = new SMTPServer({
    name: "localhost",
    banner: "nothing leaves this machine",
    size,
    rejectOversized: true,
    // There is no certificate that a client would trust. The logger would warn about that.
    disabledCommands: ["STARTTLS"],
    logger: false,
    disableReverseLookup: true,
    lenientAddressParsing: true,
    // Accepts any login, so that a client can keep its configuration of production.
    authOptional: true,
    authMethods: ["PLAIN", "LOGIN", "CRAM-MD5", "XOAUTH2"],
    onAuth: ({ username }, _, done) => done(null, { user: username || "anonymous" }),
    onData: (stream, session, done) => {
      receive(stream, session, mailbox).then((id) => done(null, id && `Ok: queued as ${id}`), done);
    },
  });
  // A connection that the client breaks off is not an error of the stack.
  smtp.on("error", () => {});
  const sockets = new Set<Socket>();
  smtp.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const remedy =
    "stop what listens there, or choose another one with [local_smtp] smtp_port in supabase/config.toml";
  const listening = await listen(smtp.server, port, "for sending mails", remedy);
  return {
    url: `smtp://127.0.0.1:${listening}`,
    close: async () => {
      const closed = once(smtp.server, "close");
      smtp.close();
      for (const socket of sockets) {
        socket.write("421 localhost is closing\r\n");
        socket.destroy();
      }
      await closed;
    },
  };
}

/**
 * Stores a mail in the mailbox. Resolves to its id, or to undefined if it is too large, which the
 * server refuses.
 */
async function receive(
  stream: SMTPServerDataStream,
  { envelope, user }: SMTPServerSession,
  mailbox: Mailbox,
): Promise<string | undefined> {
  let chunks: Buffer[] = [];
  // Read first: the session is cleared when the client disconnects.
  const recipients = envelope.rcptTo.map(({ address }) => address);
  const sender = envelope.mailFrom ? envelope.mailFrom.address : "";
  for await (const chunk of stream) {
    // Reads a mail that is too large to its end, because the client reads the reply only then.
    if (stream.sizeExceeded) chunks = [];
    else chunks.push(chunk);
  }
  if (stream.sizeExceeded) return undefined;
  const read = parseMessage(Buffer.concat(chunks), { sender, recipients, username: user ?? "" });
  const message = await read.catch((cause) => {
    throw Object.assign(new Error("the headers are too long", { cause }), { responseCode: 554 });
  });
  return mailbox.receive(message, recipients);
}
