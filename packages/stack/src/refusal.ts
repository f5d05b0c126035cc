/**
 * An expected error of a command, in one line that says what to do. The command line prints only the message. Before it
 * is thrown, all changes must be undone.
 */
export class Refusal extends Error {
  override name = "Refusal";
}
