import { RestError } from "./errors.js";

/** How the result shall be written. */
export interface Media {
  kind: "array" | "object" | "csv" | "openapi";
  stripNulls: boolean;
  contentType: string;
}

const json: Media = {
  kind: "array",
  stripNulls: false,
  contentType: "application/json; charset=utf-8",
};
const csv: Media = { kind: "csv", stripNulls: false, contentType: "text/csv; charset=utf-8" };
const openapi: Media = {
  kind: "openapi",
  stripNulls: false,
  contentType: "application/openapi+json; charset=utf-8",
};

/** What one media type of an `Accept` header stands for; null when there is no such answer. */
function mediaOf(type: string, parameters: string[]): Media | null {
  const stripNulls = parameters.includes("nulls=stripped");
  const ending = stripNulls ? ";nulls=stripped; charset=utf-8" : "; charset=utf-8";
  switch (type) {
    case "*/*":
    case "application/*":
    case "application/json":
      return json;
    case "text/csv":
      return csv;
    case "application/openapi+json":
      return openapi;
    case "application/vnd.pgrst.object+json":
    case "application/vnd.pgrst.object":
      return {
        kind: "object",
        stripNulls,
        contentType: `application/vnd.pgrst.object+json${ending}`,
      };
    case "application/vnd.pgrst.array+json":
    case "application/vnd.pgrst.array":
      if (!stripNulls) return json;
      return {
        kind: "array",
        stripNulls,
        contentType: `application/vnd.pgrst.array+json${ending}`,
      };
    default:
      return null;
  }
}

/** The best of the accepted types that there is an answer in. Throws PGRST107. */
export function negotiate(accept: string | null, root = false): Media {
  if (accept === null || accept.trim() === "") return json;
  const types = accept
    .split(",")
    .map((entry) => {
      const [type = "", ...rest] = entry.split(";").map((part) => part.trim());
      const quality = rest.find((part) => part.startsWith("q="));
      return {
        type: type.toLowerCase(),
        parameters: rest.filter((part) => part !== quality),
        quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0,
      };
    })
    .sort((a, b) => b.quality - a.quality);
  for (const { type, parameters } of types) {
    const media = mediaOf(type, parameters);
    if (media && (root || media.kind !== "openapi")) return media;
  }
  throw new RestError(
    406,
    "PGRST107",
    `None of these media types are available: ${types.map(({ type, parameters }) => [type, ...parameters].join(";")).join(", ")}`,
  );
}
