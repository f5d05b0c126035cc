import { readSqlFiles, SCHEMAS } from "./schemas.js";

/** Start of a function or procedure, at the start of a line. */
const START =
  /^create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?<name>(?:public|private)\.\w+)/gim;

/** Comments, strings, quoted names and dollar-quoted bodies, in which a semicolon ends nothing; or such a semicolon. */
const PIECE =
  /--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<tag>\$\w*\$)[\s\S]*?\k<tag>|;/g;

/** Index behind the semicolon that ends the statement that begins at `from`. */
function endOfStatement(sql: string, from: number): number {
  PIECE.lastIndex = from;
  for (let piece = PIECE.exec(sql); piece; piece = PIECE.exec(sql)) {
    if (piece[0] === ";") return PIECE.lastIndex;
  }
  return sql.length;
}

export interface SqlFunction {
  name: string;
  /** The file and the line of its first line. */
  place: string;
  /** From `create` to the semicolon that ends its statement, with its arguments, options and comments. */
  text: string;
}

/** The functions and procedures of the schemas, in their order. */
export function readSqlFunctions(): SqlFunction[] {
  return readSqlFiles(SCHEMAS).flatMap(({ path, text: sql }) =>
    [...sql.matchAll(START)].map(({ index, groups }) => ({
      name: groups!.name!,
      place: `${path}:${sql.slice(0, index).split("\n").length}`,
      text: sql.slice(index, endOfStatement(sql, index)),
    })),
  );
}
