/**
 * Why a command cannot go on, in one line that says what to do. The command line shows the message
 * alone: whoever throws it has put everything back as it was.
 */
export class Refusal extends Error {
  override name = "Refusal";
}
