import { StorageError } from "./errors.js";

/** What S3 takes in a name without special handling. */
const KEY = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/;
const BUCKET = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/;
/** S3's own limit. */
const KEY_BYTES = 1024;
/** A step to the same or the upper folder: no URL can name what lies behind it. */
const STEP = /(^|\/)\.{1,2}(\/|$)/;
/** Hosted keeps its analytics buckets under names that end so. */
const RESERVED_SUFFIX = "--iceberg";

export function checkKey(key: string): void {
  if (!KEY.test(key) || key.length > KEY_BYTES || STEP.test(key)) {
    throw new StorageError("InvalidKey", `Invalid key: ${key.slice(0, KEY_BYTES)}`);
  }
}

export const isBucketName = (name: string) => BUCKET.test(name);

export function checkNewBucketName(name: string): void {
  if (!isBucketName(name) || name.trim() !== name || name.endsWith(RESERVED_SUFFIX)) {
    throw new StorageError("InvalidBucketName");
  }
}

/** The file by which the dashboard shows an empty folder: it has no bytes and any type. */
export const isEmptyFolder = (key: string) => key.endsWith(".emptyFolderPlaceholder");

const MIME_TYPE = /^([a-zA-Z0-9\-+.]+)\/([a-zA-Z0-9\-+.]+)(;\s*charset=[a-zA-Z0-9-]+)?$|\*$/;

export function checkAllowedMimeTypes(types: readonly string[]): void {
  for (const type of types) {
    if (type.length > 1000 || !MIME_TYPE.test(type)) throw unsupported(type);
  }
}

/** Whether a bucket takes `type`: `image/*` allows all images; no list allows everything. */
export function checkMimeType(type: string, allowed: readonly string[] | null): void {
  if (!allowed || allowed.length === 0) return;
  const [kind, subtype] = type.split("/");
  const fits = allowed.some((each) => {
    const [allowedKind, allowedSubtype] = each.split("/");
    return allowedKind === kind && (allowedSubtype === "*" || allowedSubtype === subtype);
  });
  if (subtype === undefined || !fits) throw unsupported(type);
}

const unsupported = (type: string) =>
  new StorageError("InvalidMimeType", `mime type ${type} is not supported`);

const UNITS = { gb: 1e9, mb: 1e6, kb: 1e3, b: 1 };

/** Bytes of `20MB`, as the API of buckets counts them. */
export function bytesOf(size: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(gb|mb|kb|b)$/i.exec(size) ?? [];
  if (number === undefined || unit === undefined) {
    throw new StorageError(
      "InvalidRequest",
      "Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B",
    );
  }
  const factor = UNITS[unit.toLowerCase() as keyof typeof UNITS];
  return Math.round(Number.parseFloat(Number.parseFloat(number).toPrecision(3)) * factor);
}
