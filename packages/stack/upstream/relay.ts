// Replaces the containers in which functions-js runs its functions.

/** The part of a container that the suite uses. */
export interface Relay {
  container: { getMappedPort(): string };
  stop(): Promise<void>;
}

/** Returns the stack's gateway, which already runs the function. */
export async function runRelay(): Promise<Relay> {
  // The suite appends the function's name.
  const port = `${process.env.UPSTREAM_PORT}/functions/v1`;
  return { container: { getMappedPort: () => port }, stop: async () => {} };
}
