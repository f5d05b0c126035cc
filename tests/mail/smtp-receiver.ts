import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

/** A mail that the server has accepted. */
export interface Taken {
  to: string;
  source: string;
}

/** Opens an SMTP server on this machine. `take` is called for each accepted mail. */
export async function openSmtpReceiver(take: (mail: Taken) => void = () => {}) {
  const taken: Taken[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, { envelope }, callback) {
      const to = envelope.rcptTo[0]?.address ?? "";
      text(stream).then((source) => {
        const mail = { to, source };
        taken.push(mail);
        callback();
        take(mail);
      }, callback);
    },
  });
  // A killed dispatcher breaks its connection.
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
