import { ApiError } from "../http/errors.ts";

/** The error for a file that the library does not take. */
export const refused = (reason: string) => new ApiError("UNSUPPORTED_MEDIA", reason);
