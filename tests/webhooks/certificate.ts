import { Buffer } from "node:buffer";
import { createHash, generateKeyPairSync, sign } from "node:crypto";

/** A certificate for a server's name, and its private key, both in PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** Creates a self-signed certificate for a host name. */
export function certificateFor(name: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const now = Date.now();
  const serial = createHash("sha256").update(publicKey.export({ type: "spki", format: "der" }));
  const ecdsaWithSha256 = sequence(encoded(0x06, Buffer.from("2a8648ce3d040302", "hex")));
  const commonName = encoded(0x06, Buffer.from("550403", "hex"));
  const subject = sequence(encoded(0x31, sequence(commonName, encoded(0x0c, Buffer.from(name)))));
  const alternativeName = sequence(
    encoded(0x06, Buffer.from("551d11", "hex")),
    encoded(0x04, sequence(encoded(0x82, Buffer.from(name)))),
  );
  const toBeSigned = sequence(
    encoded(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), serial.digest().subarray(0, 15)])),
    ecdsaWithSha256,
    subject,
    sequence(time(now - 86_400_000), time(now + 86_400_000)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    encoded(0xa3, sequence(alternativeName)),
  );
  const certificate = sequence(
    toBeSigned,
    ecdsaWithSha256,
    encoded(0x03, Buffer.from([0]), sign("sha256", toBeSigned, privateKey)),
  );
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** A DER value: its tag, its length in the shortest form, its content. */
function encoded(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Uint8Array[]): Buffer {
  return encoded(0x30, ...parts);
}

function integer(bytes: Uint8Array): Buffer {
  return encoded(0x02, bytes);
}

/** A time as YYMMDDhhmmssZ. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/\D/g, "").slice(2, 14);
  return encoded(0x17, Buffer.from(`${digits}Z`));
}
