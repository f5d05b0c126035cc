import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import { ApiError } from "../http/errors.ts";
import { refused } from "./refused.ts";
import { replacedMeanwhile, type StoredFile } from "./storage.ts";

// https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html: a JSON object, alone or as the first chunk of a binary file.

/** Bytes read at once. Buffers of a model may be in its JSON, as one long text. */
const PART_BYTES = 1_048_576;
/** Maximum depth of the JSON. Models have ten levels or so. */
const DEPTH_AT_MOST = 100;
/** Maximum number of values, keys and brackets: more take longer than the processor time of a request. */
const TOKENS_AT_MOST = 2_000_000;

const GLB_HEADER_BYTES = 20;
const JSON_CHUNK = 0x4e4f534a;

/** Refuses a file that is not glTF 2.0 in JSON. */
export const judgeModel = (file: StoredFile) => judgeJson(file, 0, file.size);

/** Refuses a file that is not binary glTF 2.0: a header of 12 bytes with the length, then a chunk of JSON. */
export async function judgeBinaryModel(file: StoredFile, head: Uint8Array): Promise<void> {
  if (file.size < GLB_HEADER_BYTES) throw broken("it is too short");
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (view.getUint32(4, true) !== 2) throw broken("its version is not 2");
  if (view.getUint32(8, true) !== file.size) throw broken("it has another length than it says");
  const end = GLB_HEADER_BYTES + view.getUint32(12, true);
  if (view.getUint32(16, true) !== JSON_CHUNK || end > file.size) throw broken("it has no JSON");
  await judgeJson(file, GLB_HEADER_BYTES, end);
}

async function judgeJson(file: StoredFile, from: number, to: number): Promise<void> {
  let version: unknown;
  let depth = 0;
  let tokens = 0;
  const tokenizer = new Tokenizer();
  // Keeps no values, so a large model takes no more memory than a small one.
  const parser = new TokenParser({ keepStack: false });
  parser.onValue = ({ value, key, stack }) => {
    if (stack.length === 2 && stack[1]?.key === "asset" && key === "version") version = value;
  };
  parser.onEnd = () => {
    if (!tokenizer.isEnded) tokenizer.end();
  };
  tokenizer.onToken = (token) => {
    tokens += 1;
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) depth += 1;
    if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET)
      depth -= 1;
    if (depth > DEPTH_AT_MOST || tokens > TOKENS_AT_MOST) throw broken("its JSON is too complex");
    parser.write(token);
  };
  for (let at = from; at < to; ) {
    const part = await file.read(at, Math.min(PART_BYTES, to - at));
    if (part.length === 0) throw replacedMeanwhile();
    try {
      tokenizer.write(part);
    } catch (error) {
      throw error instanceof ApiError ? error : broken("its JSON is broken");
    }
    at += part.length;
  }
  if (!parser.isEnded) throw broken("its JSON is broken");
  if (typeof version !== "string" || !/^2\.\d+$/.test(version))
    throw broken("its asset.version is not 2.0");
}

const broken = (reason: string) =>
  refused(`The file is not glTF 2.0: ${reason}. Export the model again as glTF 2.0.`);
