/** A view's column that shows a table's column unchanged. */
export interface ViewSource {
  /** Number of the view's column, starting at 1. */
  position: number;
  /** Object id of the table or view. */
  table: string;
  /** Number of its column, starting at 1. */
  column: number;
}

/**
 * Reads the sources of a view's columns from its rewrite rule (`pg_rewrite.ev_action`).
 *
 * The rule is a tree like `({QUERY :targetList ({TARGETENTRY … :resno 1 … :resorigtbl 16385
 * :resorigcol 1 …} …) …})`. Only the target entries of the outermost query count, which are four
 * levels deep; deeper ones are skipped.
 */
export function viewSources(rule: string): ViewSource[] {
  const ENTRY = 4;
  const sources: ViewSource[] = [];
  let depth = 0;
  let entry: Record<string, string> | null = null;
  let field = "";
  let i = 0;
  while (i < rule.length) {
    const char = rule[i]!;
    if (char === "{" || char === "(") {
      depth++;
      i++;
      if (depth === ENTRY) entry = rule.startsWith("TARGETENTRY", i) ? {} : null;
    } else if (char === "}" || char === ")") {
      if (depth === ENTRY && entry) {
        const { resno, resorigtbl, resorigcol } = entry;
        if (resno && resorigtbl && resorigcol && resorigtbl !== "0") {
          sources.push({ position: Number(resno), table: resorigtbl, column: Number(resorigcol) });
        }
        entry = null;
      }
      depth--;
      i++;
    } else if (char === " " || char === "\n") {
      i++;
    } else {
      const start = i;
      while (i < rule.length && !" \n{}()".includes(rule[i]!)) i += rule[i] === "\\" ? 2 : 1;
      if (depth !== ENTRY || !entry) continue;
      const word = rule.slice(start, i);
      if (word.startsWith(":")) field = word.slice(1);
      else entry[field] = word;
    }
  }
  return sources;
}
