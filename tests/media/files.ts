import { deflateRawSync, deflateSync } from "node:zlib";
import exceljs from "exceljs";
import { crc32 } from "./crc32.js";

// Small files for uploads: valid ones, and ones with wrong headers.

const TYPE_PREFIX = "application/vnd.openxmlformats-officedocument";

const u32 = (n: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(n);
  return bytes;
};

/** A chunk of a PNG. */
export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([u32(data.length), body, u32(crc32(body))]);
}

/** A PNG of one color. `declared`: the dimensions in its header, if they are wrong. */
export function png(width: number, height: number, declared = { width, height }): Buffer {
  const head = Buffer.concat([
    u32(declared.width),
    u32(declared.height),
    Buffer.from([8, 2, 0, 0, 0]),
  ]);
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 0x99)]);
  const pixels = deflateSync(Buffer.concat(Array(height).fill(line)));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...[chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))],
  ]);
}

interface Entry {
  name: string;
  content: Buffer | string;
  /** The unpacked size in the directory, in bytes, if it is wrong. */
  declaredSize?: number;
}

/** A zip archive. `stored`: without compression. */
export function zip(entries: readonly Entry[], stored = false): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, declaredSize } of entries) {
    const plain = Buffer.from(content);
    const packed = stored ? plain : deflateRawSync(plain);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(stored ? 0 : 8, 4);
    common.writeUInt32LE(crc32(plain), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declaredSize ?? plain.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([
      Buffer.from("PK\x03\x04", "latin1"),
      common,
      Buffer.from(name),
      packed,
    ]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, rest, Buffer.from(name)]),
    );
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}

const OFFICE = "http://schemas.openxmlformats.org";
const WORDS = `${TYPE_PREFIX}.wordprocessingml.document`;

/** A docx of one word, with more entries. */
export const docx = (...more: Entry[]): Buffer =>
  zip([
    {
      name: "[Content_Types].xml",
      content: `<Types xmlns="${OFFICE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${WORDS}.main+xml"/></Types>`,
    },
    {
      name: "_rels/.rels",
      content: `<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    {
      name: "word/document.xml",
      content: `<w:document xmlns:w="${OFFICE}/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Lantern</w:t></w:r></w:p></w:body></w:document>`,
    },
    ...more,
  ]);

/** An xlsx with one code. */
export async function xlsx(): Promise<Buffer> {
  const workbook = new exceljs.Workbook();
  workbook.addWorksheet("products").addRows([["external_id"], ["00123"]]);
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

/** A PDF of one page with one word. */
export function pdf(): Buffer {
  const drawing = "BT /F1 24 Tf 72 72 Td (Lantern) Tj ET";
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 144] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.7\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`;
  const end = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + table + end);
}

/** The beginning of a WebM, and of an MP4. */
export const webm = (): Buffer =>
  Buffer.concat([
    Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84]),
    Buffer.from("webm"),
  ]);
export const mp4 = (brand = "isom", others = "isommp41"): Buffer =>
  Buffer.concat([
    u32(16 + others.length),
    Buffer.from(`ftyp${brand}`),
    u32(0x200),
    Buffer.from(others),
  ]);

/** A binary glTF, with an empty scene by default. */
export function glb(text = '{"asset":{"version":"2.0"}}'): Buffer {
  const json = Buffer.from(text.padEnd(4 * Math.ceil(text.length / 4)));
  const bytes = Buffer.alloc(20 + json.length);
  bytes.write("glTF", "latin1");
  bytes.writeUInt32LE(2, 4);
  bytes.writeUInt32LE(bytes.length, 8);
  bytes.writeUInt32LE(json.length, 12);
  bytes.write("JSON", 16, "latin1");
  json.copy(bytes, 20);
  return bytes;
}

export const TYPES = {
  png: "image/png",
  jpeg: "image/jpeg",
  pdf: "application/pdf",
  text: "text/plain",
  csv: "text/csv",
  docx: `${TYPE_PREFIX}.wordprocessingml.document`,
  xlsx: `${TYPE_PREFIX}.spreadsheetml.sheet`,
  mp4: "video/mp4",
  webm: "video/webm",
  usdz: "model/vnd.usdz+zip",
  glb: "model/gltf-binary",
  gltf: "model/gltf+json",
};
