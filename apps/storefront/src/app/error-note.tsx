import { wordsFor } from "../lib/errors";

/** An error, in the customer's words. */
export function ErrorNote({ error }: { error: unknown }) {
  return error ? (
    <p class="bad" role="alert">
      {wordsFor(error)}
    </p>
  ) : null;
}
