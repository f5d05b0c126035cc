// Stands in for the containers that functions-js runs its functions in.

/** What the suite asks of a container it started. */
export interface Relay {
  container: { getMappedPort(): string };
  stop(): Promise<void>;
}

/** The function runs already, behind the stack's gateway. */
export async function runRelay(): Promise<Relay> {
  // The suite puts the function's name after it.
  const port = `${process.env.UPSTREAM_PORT}/functions/v1`;
  return { container: { getMappedPort: () => port }, stop: async () => {} };
}
