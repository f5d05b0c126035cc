import { DatabaseAway } from "../db/away.js";
import { type DatabaseError, isDatabaseError } from "../db/database.js";

/** The errors of hosted Storage: the status in the body, the older name of the error, the message. */
const refusals = {
  NoSuchBucket: { status: 404, error: "Bucket not found", message: "Bucket not found" },
  NoSuchKey: { status: 404, error: "not_found", message: "Object not found" },
  AccessDenied: { status: 403, error: "Unauthorized", message: "Access denied" },
  BucketAlreadyExists: { status: 409, error: "Duplicate", message: "The resource already exists" },
  KeyAlreadyExists: { status: 409, error: "Duplicate", message: "The resource already exists" },
  ResourceAlreadyExists: {
    status: 409,
    error: "Duplicate",
    message: "The resource already exists",
  },
  ResourceNotEmpty: { status: 409, message: "The bucket you tried to delete is not empty" },
  ResourceReferenced: {
    status: 409,
    message: "The resource could not be updated or removed due to a foreign key constraint",
  },
  ResourceLocked: { status: 423, message: "The resource is locked" },
  InvalidBucketName: { status: 400, error: "Invalid Input", message: "Bucket name invalid" },
  InvalidKey: { status: 400, message: "Invalid key: " },
  InvalidMimeType: { status: 415, error: "invalid_mime_type", message: "mime type not supported" },
  InvalidRange: { status: 416, error: "invalid_range", message: "invalid range provided" },
  InvalidRequest: { status: 400, message: "Invalid Request" },
  InvalidParameter: { status: 400, message: "Invalid Parameter" },
  InvalidJWT: { status: 400, message: "Invalid JWT" },
  InvalidSignature: { status: 400, message: "Invalid signature" },
  InvalidUploadId: { status: 400, message: "Invalid upload id" },
  EntityTooLarge: {
    status: 413,
    error: "Payload too large",
    message: "The object exceeded the maximum allowed size",
  },
  FeatureNotEnabled: { status: 403, message: "The feature is not enabled for this resource" },
  SlowDown: { status: 429, message: "Too many requests" },
  DatabaseTimeout: { status: 544, message: "The connection to the database timed out" },
  DatabaseError: { status: 500, message: "database error" },
  InternalError: { status: 500, message: "Internal server error" },
} as const satisfies Record<string, { status: number; error?: string; message: string }>;

export type RefusalCode = keyof typeof refusals;

/** An error in the form of Supabase Storage. */
export class StorageError extends Error {
  readonly status: number;
  readonly error: string;

  constructor(
    readonly code: RefusalCode,
    message: string = refusals[code].message,
    /** The status or name of hosted, where they differ from those of the code. */
    other: { status?: number; error?: string } = {},
  ) {
    super(message);
    this.name = "StorageError";
    const refusal: { status: number; error?: string } = refusals[code];
    this.status = other.status ?? refusal.status;
    this.error = other.error ?? refusal.error ?? code;
  }

  /** The status of the HTTP response: 400 for errors that a caller can correct. The body has the exact one. */
  get httpStatus(): number {
    const { status, code } = this;
    if (code === "FeatureNotEnabled" && status === 403) return status;
    return [416, 429, 500, 503, 544].includes(status) ? status : 400;
  }

  get body(): { statusCode: string; error: string; message: string; code: string } {
    const { status, error, message, code } = this;
    return { statusCode: String(status), error, message, code };
  }
}

/** The bytes of a row are gone: the object was removed or replaced after the row was read. */
export class MissingBytes extends StorageError {
  constructor() {
    super("NoSuchKey", "The resource was not found", { error: "Not found" });
  }
}

export const noSuchBucket = () => new StorageError("NoSuchBucket");
export const noSuchKey = () => new StorageError("NoSuchKey");
export const invalidRequest = (message: string) => new StorageError("InvalidRequest", message);

/** Converts a known error; null for an unexpected one. */
export function asStorageError(error: unknown): StorageError | null {
  if (error instanceof StorageError) return error;
  if (error instanceof DatabaseAway) {
    return new StorageError("DatabaseTimeout", "The database is unavailable", { status: 503 });
  }
  return isDatabaseError(error) ? ofDatabase(error) : null;
}

function ofDatabase({ code, message, detail }: DatabaseError): StorageError {
  switch (code) {
    case "42501":
      return new StorageError(
        "AccessDenied",
        message.includes("row-level security")
          ? "new row violates row-level security policy"
          : message,
      );
    case "23505":
      return new StorageError("ResourceAlreadyExists");
    case "23503":
      return detail?.includes("is still referenced from table")
        ? new StorageError("ResourceReferenced")
        : new StorageError("InvalidRequest", "The related resource does not exist", {
            status: 404,
          });
    case "55P03":
      return new StorageError("ResourceLocked");
    case "57014":
      return new StorageError("DatabaseTimeout");
    case "22P02":
      return new StorageError("InvalidParameter", message);
    default:
      return new StorageError("DatabaseError", `database error, code: ${code}`);
  }
}
