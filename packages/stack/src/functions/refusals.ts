/** The header with the id of a request, in every answer and in requests to functions. */
export const REQUEST_ID = "sb-request-id";

/** Answers of the platform itself, in place of a function: code, status and message as hosted. */
const refusals = {
  NOT_FOUND: [404, "Requested function was not found"],
  BOOT_ERROR: [503, "Function failed to start (please check logs)"],
  WORKER_ERROR: [500, "Function exited due to an error (please check logs)"],
  WORKER_RESOURCE_LIMIT: [
    546,
    "Function failed due to not having enough compute resources (please check logs)",
  ],
  INVALID_RESPONSE_STATUS_CODE: [500, "Function returned an invalid HTTP status code"],
  IDLE_TIMEOUT: [504, "Request idle timeout limit reached"],
  UNAUTHORIZED_NO_AUTH_HEADER: [401, "Missing authorization header"],
  UNAUTHORIZED_INVALID_JWT_FORMAT: [401, "Invalid JWT"],
  UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM: [401, "Unsupported JWT algorithm"],
  UNAUTHORIZED_ASYMMETRIC_JWT: [401, "Invalid JWT"],
  UNAUTHORIZED_LEGACY_JWT: [401, "Invalid JWT"],
} as const satisfies Record<string, readonly [number, string]>;

export type RefusalCode = keyof typeof refusals;

export function refuse(code: RefusalCode, message: string = refusals[code][1]): Response {
  return Response.json(
    { code, message },
    {
      status: refusals[code][0],
      headers: {
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "sb-error-code",
        "sb-error-code": code,
      },
    },
  );
}
