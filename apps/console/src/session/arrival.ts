/** What a link brings into the console. */
export interface Arrival {
  /** The code of an invitation, in the fragment, which no server sees. */
  invitation: string;
  /** `chosen`: the link of a mail for a new password, with a code. `expired`: such a link that is no longer valid. */
  recovery: "chosen" | "expired" | null;
}

/** Reads an address such as `/#invitation=…` or `/?code=…`. */
export function readArrival(address: string): Arrival {
  const { hash, searchParams } = new URL(address);
  const fragment = new URLSearchParams(hash.slice(1));
  const recovery = searchParams.has("code") ? "chosen" : null;
  return {
    invitation: fragment.get("invitation") ?? "",
    recovery: fragment.has("error_code") ? "expired" : recovery,
  };
}

/** The link with which an invited person joins. */
export const invitationLink = (code: string) =>
  `${location.origin}/#${new URLSearchParams({ invitation: code })}`;
