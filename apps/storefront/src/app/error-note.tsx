import { wordsFor } from "../lib/errors";

/** What went wrong, in the customer's words. */
export function ErrorNote({ error }: { error: unknown }) {
  return error ? (
    <p class="bad" role="alert">
      {wordsFor(error)}
    </p>
  ) : null;
}
