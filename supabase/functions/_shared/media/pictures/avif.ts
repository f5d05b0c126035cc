import { Buffer } from "node:buffer";
import { refused } from "../refused.ts";
import { ascii, broken, PARTS_AT_MOST, type Picture, viewOf } from "./picture.ts";

// ISO 14496-12 and https://aomediacodec.github.io/av1-avif: boxes of a length, a type and content. Offsets in the file point
// into other boxes, so nothing is removed: metadata become `free`, and their bytes zeros.

interface Box {
  type: string;
  start: number;
  /** The offset of the content. */
  data: number;
  end: number;
}

const named = (names: string): ReadonlySet<string> => new Set(names.split(" "));

// The boxes that decoders need: in the file, in `meta`, among properties of its items, and in an animation.
const KEPT = named("ftyp meta moov moof mdat sidx");
const KEPT_IN_META = named("hdlr pitm iloc iinf iref iprp idat grpl dinf");
const KEPT_IN_PROPERTIES = named("ipco ipma");
const KEPT_PROPERTIES = named(
  "ispe pixi av1C colr pasp clap irot imir auxC lsel a1op a1lx rloc clli mdcv cclv amve reve ndwt",
);
const KEPT_IN_MOVIE = named(
  "mvhd trak mvex mehd trex tkhd tref edts elst mdia mdhd elng hdlr minf vmhd nmhd sthd dinf dref stbl stsd stts ctts cslg " +
    "stsc stsz stz2 stco co64 stss stsh sdtp sgpd sbgp subs saiz saio mfhd traf tfhd tfdt trun",
);
const CONTAINERS = named("trak mdia minf stbl traf mvex edts dinf");
/** The kinds of tracks that have frames, and their alpha channels. */
const IMAGE_TRACKS = new Set(["pict", "auxv", "vide"]);
/** The items of an image: coded ones, and those that are computed from others. */
const IMAGE_ITEMS = new Set(["av01", "grid", "iovl", "iden", "tmap", "sato"]);
const FREE = [0x66, 0x72, 0x65, 0x65];

export function readAvif(file: Uint8Array): Picture {
  const bytes = file.slice();
  let isAnimated = false;
  for (const box of keptBoxes(bytes, 0, bytes.length, KEPT)) {
    if (box.type === "meta") cleanMeta(bytes, box);
    else if (box.type === "moov" || box.type === "moof") {
      isAnimated = true;
      cleanMovie(bytes, box);
    }
  }
  const differs = Buffer.compare(bytes, file) !== 0;
  return { parts: [bytes], differs, appended: 0, isAnimated, bits: bitsOf(file) };
}

/** The boxes between two offsets. A length of 0 means: until the end. Throws UNSUPPORTED_MEDIA if they do not fill it. */
export function boxesOf(bytes: Uint8Array, from: number, to: number): Box[] {
  const view = viewOf(bytes);
  const boxes: Box[] = [];
  for (let start = from; start < to; ) {
    if (start + 8 > to) throw broken();
    const written = view.getUint32(start);
    const isLong = written === 1 && start + 16 <= to;
    const length = isLong ? Number(view.getBigUint64(start + 8)) : written || to - start;
    const data = start + (isLong ? 16 : 8);
    const end = start + length;
    if (end < data || end > to) throw broken();
    if (boxes.length > PARTS_AT_MOST) throw broken();
    boxes.push({ type: ascii(bytes, start + 4, start + 8), start, data, end });
    start = end;
  }
  return boxes;
}

function free(bytes: Uint8Array, { start, data, end }: Box): void {
  bytes.set(FREE, start + 4);
  bytes.fill(0, data, end);
}

/** The boxes of these types between two offsets. Others become `free`. */
function keptBoxes(bytes: Uint8Array, from: number, to: number, kept: ReadonlySet<string>): Box[] {
  const boxes = boxesOf(bytes, from, to);
  for (const box of boxes) if (!kept.has(box.type)) free(bytes, box);
  return boxes.filter(({ type }) => kept.has(type));
}

/** A `meta` box: the items of an image, and where their bytes are. */
function cleanMeta(bytes: Uint8Array, meta: Box): void {
  const boxes = boxesOf(bytes, meta.data + 4, meta.end);
  const find = (type: string) => boxes.find((box) => box.type === type);
  const items = find("iinf");
  if (!items) {
    free(bytes, meta);
    return;
  }
  keptBoxes(bytes, meta.data + 4, meta.end, KEPT_IN_META);
  const properties = find("iprp");
  if (properties) cleanProperties(bytes, properties);
  const removed = removeItems(bytes, items);
  const places = find("iloc");
  if (removed.size > 0 && places) eraseItems(bytes, places, removed, find("idat"));
  const references = find("iref");
  if (removed.size > 0 && references) removeReferences(bytes, references, removed);
}

/** The properties of items: no descriptions, times of creation, and places of cameras. They are counted, so they stay as `free`. */
function cleanProperties(bytes: Uint8Array, { data, end }: Box): void {
  for (const box of keptBoxes(bytes, data, end, KEPT_IN_PROPERTIES)) {
    if (box.type === "ipco") keptBoxes(bytes, box.data, box.end, KEPT_PROPERTIES);
  }
}

/** Items that are not images get the type `free`. Returns their ids. */
function removeItems(bytes: Uint8Array, items: Box): Set<number> {
  const view = viewOf(bytes);
  const removed = new Set<number>();
  const first = items.data + 4 + (bytes[items.data] === 0 ? 2 : 4);
  for (const { data, end } of boxesOf(bytes, first, items.end)) {
    const isLong = (bytes[data] as number) >= 3;
    const type = data + (isLong ? 10 : 8);
    if (type + 4 > end) throw broken();
    if (IMAGE_ITEMS.has(ascii(bytes, type, type + 4))) continue;
    removed.add(isLong ? view.getUint32(data + 4) : view.getUint16(data + 4));
    bytes.set(FREE, type);
    bytes.fill(0, type + 4, end);
  }
  return removed;
}

/** Overwrites the bytes of items with zeros, wherever they are in the file. */
function eraseItems(
  bytes: Uint8Array,
  places: Box,
  removed: ReadonlySet<number>,
  idat?: Box,
): void {
  const version = bytes[places.data] as number;
  let at = places.data + 4;
  const read = (size: number): number => {
    if (at + size > places.end) throw broken();
    let value = 0;
    for (let i = 0; i < size; i += 1) value = value * 256 + (bytes[at + i] as number);
    at += size;
    return value;
  };
  const sizes = read(2);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version > 0 ? sizes & 15 : 0;
  const count = read(version < 2 ? 2 : 4);
  let erased = 0;
  for (let i = 0; i < count; i += 1) {
    const id = read(version < 2 ? 2 : 4);
    const method = version > 0 ? read(2) & 15 : 0;
    read(2);
    const base = read(baseSize) + (method === 1 ? (idat?.data ?? 0) : 0);
    const extents = read(2);
    if (extents > 1 && offsetSize + lengthSize + indexSize === 0) throw broken();
    for (let j = 0; j < extents; j += 1) {
      read(indexSize);
      const from = base + read(offsetSize);
      const length = read(lengthSize);
      // The bytes of another item are those of an image, or erased as well.
      if (!removed.has(id)) continue;
      erased += length;
      // A length of no bytes stands for the whole source, and further methods for the bytes of another item.
      if (lengthSize === 0 || method > 1 || erased > bytes.length) throw broken();
      bytes.fill(0, from, from + length);
    }
  }
}

/** References of removed items get the type `free`. */
function removeReferences(bytes: Uint8Array, references: Box, removed: ReadonlySet<number>): void {
  const view = viewOf(bytes);
  const isLong = bytes[references.data] !== 0;
  for (const { start, data } of boxesOf(bytes, references.data + 4, references.end)) {
    const from = isLong ? view.getUint32(data) : view.getUint16(data);
    if (removed.has(from)) bytes.set(FREE, start + 4);
  }
}

/**
 * The boxes of an animation: no metadata, and no times of creation. Throws UNSUPPORTED_MEDIA for sound, and for metadata that
 * change with the frames.
 */
function cleanMovie(bytes: Uint8Array, movie: Box): void {
  for (const box of keptBoxes(bytes, movie.data, movie.end, KEPT_IN_MOVIE)) {
    if (CONTAINERS.has(box.type)) cleanMovie(bytes, box);
    else if (box.type === "hdlr" && !IMAGE_TRACKS.has(ascii(bytes, box.data + 8, box.data + 12))) {
      throw refused("The image has a track that is no image. Save it again with an image editor.");
    } else if (["mvhd", "tkhd", "mdhd"].includes(box.type)) {
      bytes.fill(0, box.data + 4, box.data + (bytes[box.data] === 1 ? 20 : 12));
    }
  }
}

/** Bits per channel: 8, 10 or 12. Of several images, the most. */
function bitsOf(bytes: Uint8Array): number {
  const meta = boxesOf(bytes, 0, bytes.length).find(({ type }) => type === "meta");
  if (!meta) return 8;
  const properties = boxesOf(bytes, meta.data + 4, meta.end).find(({ type }) => type === "iprp");
  if (!properties) return 8;
  const list = boxesOf(bytes, properties.data, properties.end).find(({ type }) => type === "ipco");
  if (!list) return 8;
  const codings = boxesOf(bytes, list.data, list.end).filter(({ type }) => type === "av1C");
  const bits = codings.map(({ data }) => {
    const flags = bytes[data + 2] as number;
    if ((flags & 0x40) === 0) return 8;
    return flags & 0x20 ? 12 : 10;
  });
  return Math.max(8, ...bits);
}
