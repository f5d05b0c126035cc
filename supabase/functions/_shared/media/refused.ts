import { ApiError } from "../http/errors.ts";

/** What is said of a file that the library does not take. */
export const refused = (reason: string) => new ApiError("UNSUPPORTED_MEDIA", reason);
