// Made from the database by `npm run types`. Do not edit.

/** The tags of languages that are usually written from right to left: private.right_to_left_tags of the database. */
export const RIGHT_TO_LEFT_TAGS =
  /^(ar|arc|ckb|dv|fa|he|iw|ks|ku-arab|ps|sd|ug|ur|yi)(-|$)|-(arab|hebr|thaa|syrc|nkoo)(-|$)/i;
