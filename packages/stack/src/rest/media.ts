import { RestError } from "./errors.js";

/** The format of the result. */
export interface Media {
  kind: "array" | "object" | "csv" | "geojson";
  stripNulls: boolean;
  contentType: string;
}

const plain = (kind: Media["kind"], type: string): Media => ({
  kind,
  stripNulls: false,
  contentType: `${type}; charset=utf-8`,
});
const json = plain("array", "application/json");
const csv = plain("csv", "text/csv");
const geojson = plain("geojson", "application/geo+json");

/** Returns the format for one media type of an `Accept` header; null if it is not supported. */
function mediaOf(type: string, parameters: string[]): Media | null {
  const stripNulls = parameters.includes("nulls=stripped");
  const ending = stripNulls ? ";nulls=stripped; charset=utf-8" : "; charset=utf-8";
  switch (type) {
    case "*/*":
    case "application/json":
      return json;
    case "text/csv":
      return csv;
    case "application/geo+json":
      return geojson;
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

/** Returns the supported format with the highest priority. Throws PGRST107. */
export function negotiate(accept: string | null): Media {
  if (accept === null || accept.trim() === "" || accept === "*/*") return json;
  const types = accept
    .split(",")
    .map((entry) => {
      const [type = "", ...rest] = entry.split(";").map((part) => part.trim());
      const quality = rest.find((part) => part.startsWith("q="));
      const parameters = rest.filter((part) => part !== quality);
      return {
        type: type.toLowerCase(),
        parameters,
        quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0,
        specificity: parameters.length - type.split("*").length,
      };
    })
    .sort((a, b) => b.quality - a.quality || b.specificity - a.specificity);
  for (const { type, parameters } of types) {
    const media = mediaOf(type, parameters);
    if (media) return media;
  }
  throw new RestError(
    406,
    "PGRST107",
    `None of these media types are available: ${types.map(({ type, parameters }) => [type, ...parameters].join(";")).join(", ")}`,
  );
}
