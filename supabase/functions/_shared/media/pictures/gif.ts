import { ascii, broken, type Picture, partsOf } from "./picture.ts";

// https://www.w3.org/Graphics/GIF/spec-gif89a.txt: a header, then blocks until a trailer.

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const CONTROL = 0xf9;
const APPLICATION = 0xff;
/** The applications that repeat the frames, and the one that holds the colour profile. */
const KEPT = new Set(["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]);

const colorsOf = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

export function readGif(bytes: Uint8Array): Picture {
  const out = partsOf(bytes);
  let frames = 0;
  let at = HEADER_BYTES + colorsOf(byteAt(bytes, 10));
  out.keep(0, at);
  for (;;) {
    const start = at;
    switch (byteAt(bytes, at)) {
      case TRAILER:
        out.keep(at, at + 1);
        return { ...out.finish(at + 1), isAnimated: frames > 1 };
      case IMAGE:
        frames += 1;
        at = blocksEnd(bytes, at + 11 + colorsOf(byteAt(bytes, at + 9)));
        out.keep(start, at);
        break;
      case EXTENSION:
        at = blocksEnd(bytes, at + 2);
        if (isKept(bytes, start)) out.keep(start, at);
        break;
      case 0:
        // Some programs write a further empty block. Decoders skip it.
        at += 1;
        break;
      default:
        throw broken();
    }
  }
}

function isKept(bytes: Uint8Array, start: number): boolean {
  const label = bytes[start + 1];
  return (
    label === CONTROL || (label === APPLICATION && KEPT.has(ascii(bytes, start + 3, start + 14)))
  );
}

/** The offset after a sequence of blocks. Each begins with its length; the last one is empty. */
function blocksEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let length = byteAt(bytes, at); length > 0; length = byteAt(bytes, at)) at += 1 + length;
  return at + 1;
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw broken();
  return byte;
}
