import { ApiError } from "../http/errors.ts";

/** The error for a file that the media library does not accept. */
export const refused = (reason: string) => new ApiError("UNSUPPORTED_MEDIA", reason);
