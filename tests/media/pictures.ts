import sharp, { type Sharp } from "sharp";
import { chunk } from "./files.js";

// Images with metadata, as cameras and editors write them.

export const FORMATS = ["jpeg", "png", "webp", "avif", "gif"] as const;
export type Format = (typeof FORMATS)[number];

/** A word in all metadata. */
export const SECRET = "SoukCam";

const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="${SECRET}"/></rdf:RDF></x:xmpmeta>`;

/** An image whose corners differ, so that a turned one is another. */
export function corners(width = 400, height = 300): Sharp {
  const corner = (background: string) => ({
    create: { width: width / 4, height: height / 4, channels: 3 as const, background },
  });
  return sharp({ create: { width, height, channels: 3, background: "#c83c14" } }).composite([
    { input: corner("#1040c0"), gravity: "northwest" },
    { input: corner("#10c040"), gravity: "southeast" },
  ]);
}

/** The data of a camera: its name, the time, the place, and the orientation. */
export function photographed(image: Sharp, orientation = 1): Sharp {
  return image
    .withMetadata({ orientation })
    .withIccProfile("p3")
    .withExif({
      IFD0: {
        Make: SECRET,
        Model: SECRET,
        DateTime: "2026:05:04 03:02:01",
      },
      IFD2: { DateTimeOriginal: "2026:05:04 03:02:01" },
      IFD3: {
        GPSLatitudeRef: "N",
        GPSLatitude: "31/1 37/1 4660/100",
        GPSLongitudeRef: "W",
        GPSLongitude: "7/1 59/1 2100/100",
      },
    })
    .withXmp(XMP);
}

/** An image with all the metadata that its format may have. */
export async function withMetadata(format: Format, orientation = 1): Promise<Buffer> {
  const bytes = await photographed(corners(), orientation).toFormat(format).toBuffer();
  if (format === "jpeg") {
    const iptc = segment(
      0xed,
      Buffer.from(
        `Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00\x0c\x1c\x02\x05\x00\x07${SECRET}`,
        "latin1",
      ),
    );
    const comment = segment(0xfe, Buffer.from(SECRET));
    // A phone's video after the picture.
    const video = Buffer.from(
      `\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom${SECRET}`,
      "latin1",
    );
    return Buffer.concat([bytes.subarray(0, 2), iptc, comment, bytes.subarray(2), video]);
  }
  if (format === "png") {
    return insert(
      bytes,
      33,
      chunk("tEXt", Buffer.from(`Author\x00${SECRET}`)),
      chunk("tIME", Buffer.from([7, 0xea, 5, 4, 3, 2, 1])),
    );
  }
  if (format === "gif") {
    const place =
      13 + (((bytes[10] as number) & 0x80) === 0 ? 0 : 3 << (((bytes[10] as number) & 7) + 1));
    const comment = Buffer.from(`!\xfe\x07${SECRET}\x00`, "latin1");
    const xmp = Buffer.from(`!\xff\x0bXMP DataXMP\x07${SECRET}\x00`, "latin1");
    return insert(bytes, place, comment, xmp);
  }
  return format === "avif" ? withBoxes(bytes) : bytes;
}

/** An AVIF with further boxes that hold metadata, among those of its items and of their properties. */
function withBoxes(bytes: Buffer): Buffer {
  const secret = Buffer.from(SECRET);
  // Texts, the time of creation, and the place of the camera.
  const properties = ["udes", "altt", "crtt", "cmex"].map((type) => box(type, u32(0), secret));
  const further = ["xml ", "bxml", "free", "skip"].map((type) => box(type, u32(0), secret));
  const added = [...properties, ...further].reduce((sum, { length }) => sum + length, 0);
  const meta = bytes.indexOf("meta") - 4;
  const end = meta + bytes.readUInt32BE(meta);
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(end - meta + added, meta);
  // Items have one extent, with offsets and lengths of four bytes. Their bytes are behind these boxes.
  const places = copy.indexOf("iloc") + 4;
  const place = (copy[places] === 0 ? 14 : 16) + ((copy[places + 5] as number) >> 4);
  for (let i = 0; i < copy.readUInt16BE(places + 6); i += 1) {
    const at = places + 8 + i * place + place - 8;
    copy.writeUInt32BE(copy.readUInt32BE(at) + added, at);
  }
  const list = copy.indexOf("ipco") - 4;
  const listEnd = list + copy.readUInt32BE(list);
  for (const at of [list, copy.indexOf("iprp") - 4]) {
    copy.writeUInt32BE(copy.readUInt32BE(at) + Buffer.concat(properties).length, at);
  }
  return insert(insert(copy, end, ...further), listEnd, ...properties);
}

/** An image of two frames. */
export async function animated(format: "gif" | "webp" | "png" | "avif"): Promise<Buffer> {
  const size = { width: 640, height: 400 };
  if (format === "avif") return animatedAvif();
  if (format === "png") {
    const still = await corners(size.width, size.height).png({ compressionLevel: 9 }).toBuffer();
    const data: Buffer[] = [];
    for (let at = 8; at < still.length; at += 12 + still.readUInt32BE(at)) {
      if (still.toString("latin1", at + 4, at + 8) === "IDAT")
        data.push(still.subarray(at + 8, at + 8 + still.readUInt32BE(at)));
    }
    const control = (number: number) =>
      chunk(
        "fcTL",
        Buffer.concat([
          u32(number, size.width, size.height, 0, 0),
          Buffer.from([0, 1, 0, 2, 0, 0]),
        ]),
      );
    const pixels = Buffer.concat(data);
    return Buffer.concat([
      still.subarray(0, 33),
      ...[chunk("acTL", u32(2, 0)), control(0), chunk("IDAT", pixels)],
      ...[
        control(1),
        chunk("fdAT", Buffer.concat([u32(2), pixels])),
        chunk("IEND", Buffer.alloc(0)),
      ],
    ]);
  }
  const frame = size.width * size.height * 3;
  const raw = Buffer.concat([Buffer.alloc(frame, 0x30), Buffer.alloc(frame, 0xc0)]);
  const frames = sharp(raw, {
    raw: { width: size.width, height: 2 * size.height, channels: 3, pageHeight: size.height },
  });
  return frames.toFormat(format, { loop: 0, delay: [500, 500] }).toBuffer();
}

/**
 * An AVIF of two frames, which are its still image. `secret`: a word in its metadata, which have times then, too. `handlers`:
 * the kinds of its tracks.
 */
export async function animatedAvif({ secret = "", handlers = ["pict"] } = {}): Promise<Buffer> {
  const still = await corners(640, 400).avif().toBuffer();
  const coding = still.indexOf("av1C") - 4;
  const pixels = still.indexOf("mdat") + 4;
  const length = still.length - pixels;
  // Seconds since 1904: in May 2026.
  const made = secret === "" ? 0 : 3_860_000_000;
  const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
  const entry = box(
    "av01",
    Buffer.concat([Buffer.alloc(6), Buffer.from([0, 1]), Buffer.alloc(16)]),
    ...[Buffer.from([640 >> 8, 640 & 255, 400 >> 8, 400 & 255]), u32(0x480000, 0x480000, 0)],
    ...[Buffer.from([0, 1]), Buffer.alloc(32), Buffer.from([0, 0x18, 0xff, 0xff])],
    still.subarray(coding, coding + still.readUInt32BE(coding)),
  );
  const samples = box(
    "stbl",
    box("stsd", u32(0, 1), entry),
    ...[box("stts", u32(0, 1, 2, 500)), box("stsc", u32(0, 1, 1, 1, 1))],
    ...[box("stsz", u32(0, 0, 2, length, length)), box("stco", u32(0, 2, pixels, pixels))],
  );
  const reference = box("dinf", box("dref", u32(0, 1), box("url ", u32(1))));
  const tracks = handlers.map((handler, at) =>
    box(
      "trak",
      box(
        "tkhd",
        u32(3, made, made, at + 1, 0, 1000, 0, 0, 0, 0),
        matrix,
        u32(640 << 16, 400 << 16),
      ),
      box(
        "mdia",
        box("mdhd", u32(0, made, made, 1000, 1000, 0x55c40000)),
        box("hdlr", u32(0, 0), Buffer.from(handler), u32(0, 0, 0), Buffer.from([0])),
        box("minf", box("vmhd", u32(1, 0, 0)), reference, samples),
      ),
      ...(secret ? [box("udta", Buffer.from(secret))] : []),
    ),
  );
  const movie = box(
    "moov",
    box(
      "mvhd",
      u32(0, made, made, 1000, 1000, 0x10000, 0x1000000, 0, 0),
      matrix,
      Buffer.alloc(24),
      u32(9),
    ),
    ...tracks,
    ...(secret ? [box("udta", box("\xa9mod", Buffer.from(secret))), ...further(secret)] : []),
  );
  const xmp = Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex");
  const extra = secret
    ? [box("uuid", xmp, Buffer.from(secret)), box("free", Buffer.from(secret))]
    : [];
  return Buffer.concat([still, movie, ...extra]);
}

/** Boxes of an animation that hold metadata: as phones write them, and unused bytes. */
function further(secret: string): Buffer[] {
  const handler = box("hdlr", u32(0, 0), Buffer.from("mdta"), u32(0, 0, 0), Buffer.from([0]));
  const noItems = box("iinf", u32(0), Buffer.from([0, 0]));
  const values = box("ilst", Buffer.from(secret));
  return [box("meta", u32(0), handler, noItems, values), box("free", Buffer.from(secret))];
}

/** A box of an AVIF. */
function box(type: string, ...content: Buffer[]): Buffer {
  const data = Buffer.concat(content);
  return Buffer.concat([u32(8 + data.length), Buffer.from(type, "latin1"), data]);
}

function u32(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [i, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * i);
  return bytes;
}

/** A segment of a JPEG. */
function segment(marker: number, data: Buffer): Buffer {
  const length = data.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 255]), data]);
}

const insert = (bytes: Buffer, at: number, ...parts: Buffer[]) =>
  Buffer.concat([bytes.subarray(0, at), ...parts, bytes.subarray(at)]);
