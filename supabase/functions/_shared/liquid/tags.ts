import {
  AssignTag,
  BreakTag,
  CaptureTag,
  CaseTag,
  CommentTag,
  type Context,
  ContinueTag,
  type Emitter,
  evalToken,
  ForTag,
  IfTag,
  type Liquid,
  Output,
  Tag,
  type TagToken,
  type Template,
  type Token,
  type TopLevelToken,
  UnlessTag,
  Value,
} from "liquidjs";
import { mistakeInLoop } from "./filter_arguments.ts";
import { TemplateMistake } from "./mistakes.ts";
import { same } from "./operators.ts";
import { pageOf } from "./page.ts";
import { numberOf, plainValue, SafeHtml } from "./texts.ts";
import { insistOnEnd, readListedValue } from "./whole_values.ts";
import { Writer } from "./writers.ts";

/** The rest of a tag's text as the token of an output. */
function asOutput(token: TagToken): Output["token"] {
  token.tokenizer.skipBlank();
  const contentRange = [token.tokenizer.p, token.tokenizer.N];
  return Object.assign(Object.create(token), { contentRange });
}

/** `echo` is an output with another syntax. As an Output in the tree it is escaped like others. */
class Echo extends Output {
  constructor(token: TagToken, _remaining: TopLevelToken[], liquid: Liquid) {
    super(asOutput(token), liquid);
  }
}

/**
 * `cycle` writes its values in turn. The engine's own tag writes without filters, and so without an escaper. This one is an
 * Output whose value changes each time, so that escapers apply.
 */
class Cycle extends Output {
  readonly #choices: Value[];

  constructor(token: TagToken, _remaining: TopLevelToken[], liquid: Liquid) {
    const { tokenizer } = token;
    const begin = tokenizer.p;
    let group = tokenizer.readValue();
    tokenizer.skipBlank();
    if (group && tokenizer.peek() === ":") tokenizer.advance();
    else {
      tokenizer.p = begin;
      group = undefined;
    }
    const values = [readListedValue(tokenizer)];
    while (tokenizer.peek() === ",") {
      tokenizer.advance();
      values.push(readListedValue(tokenizer));
    }
    insistOnEnd(tokenizer);
    tokenizer.p = begin;
    super(Object.assign(Object.create(token), { input: "nil", contentRange: [0, 3] }), liquid);
    this.token = token as unknown as Output["token"];
    // As in Ruby's Liquid, cycles of one group share their position, and of those without a group, cycles of the same values.
    const key = group ? "cycle" : `cycle ${values.map((value) => value.getText())}`;
    const choices = values.map((value) => new Value(value, liquid));
    this.#choices = choices;
    const evaluate = function* (context: Context): Generator<unknown, unknown, unknown> {
      const name = group ? plainValue(yield evalToken(group, context)) : undefined;
      const positions = context.getRegister<Map<unknown, number>>(key, new Map());
      const position = positions.get(name) ?? 0;
      positions.set(name, (position + 1) % choices.length);
      return yield choices[position]?.value(context);
    };
    Object.assign(this.value, { initial: { evaluate } });
  }

  /** The values that it writes, so that they are checked as others. */
  override *arguments(): ReturnType<Output["arguments"]> {
    yield* this.#choices;
  }
}

/** An inline comment. The engine's own tag uses a regular expression that takes minutes for many empty lines. */
export class Remark extends Tag {
  render(): void {}
}

/** `capture` with a counted text. */
class Capture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const writer = new Writer(pageOf(context).budget, false);
    yield this.liquid.renderer.renderTemplates(this.templates, context, writer);
    (context.bottom() as Record<string, unknown>)[this.variable] = this.captured(writer.buffer);
  }

  captured(text: string): unknown {
    return text;
  }
}

/** `capture` in HTML: its outputs are escaped already, so that the captured text is safe HTML. */
class CaptureOfHtml extends Capture {
  override captured(text: string): unknown {
    return new SafeHtml(text);
  }
}

/** `case` that counts its comparisons, and renders the first branch that matches. */
class Case extends CaseTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const { budget } = pageOf(context);
    const value = yield this.value.value(context);
    for (const { values, templates } of this.branches) {
      for (const token of values) {
        if (!same(value, yield evalToken(token, context), budget)) continue;
        yield this.liquid.renderer.renderTemplates(templates, context, emitter);
        return;
      }
    }
    yield this.liquid.renderer.renderTemplates(this.elseTemplates, context, emitter);
  }
}

/** The items of a loop. A text is one item, and a record is a list of pairs of name and value. */
function itemsOf(value: unknown): unknown[] {
  const own = plainValue(value);
  if (Array.isArray(own)) return own;
  if (typeof own === "string") return own === "" ? [] : [own];
  return typeof own === "object" && own !== null ? Object.entries(own) : [];
}

/** `for` that counts its items before it copies them, and each iteration. */
class For extends ForTag {
  constructor(...parsed: ConstructorParameters<typeof ForTag>) {
    super(...parsed);
    const rest = this.tokenizer.remaining().trim();
    const mistake = mistakeInLoop(this.hash.hash as Record<string, Token | undefined>, rest);
    if (mistake !== undefined) throw new TemplateMistake(mistake);
  }

  override *render(context: Context, emitter: Emitter): Generator<unknown, void, Template[]> {
    const { budget } = pageOf(context);
    const { renderer } = this.liquid;
    const all = itemsOf(yield evalToken(this.collection, context) as unknown as Template[]);
    budget.items(all.length);
    const key = `continue-${this.variable}-${this.collection.getText()}`;
    context.push(bare({ continue: context.getRegister(key, 0) }));
    const options = (yield this.hash.render(context)) as unknown as Record<string, unknown>;
    context.pop();
    const from = "offset" in options ? Math.max(Math.trunc(numberOf(options.offset)), 0) : 0;
    const count =
      "limit" in options ? Math.max(Math.trunc(numberOf(options.limit)), 0) : all.length;
    const items = all.slice(from, from + count);
    if ("reversed" in options) items.reverse();
    context.setRegister(key, from + items.length);
    if (items.length === 0) {
      yield renderer.renderTemplates(this.elseTemplates, context, emitter);
      return;
    }
    const scope = bare({ forloop: {} });
    context.push(scope);
    for (const [index, item] of items.entries()) {
      budget.step();
      scope[this.variable] = item;
      scope.forloop = loopRecord(index, items.length);
      context.continueCalled = context.breakCalled = false;
      yield renderer.renderTemplates(this.templates, context, emitter);
      if (context.breakCalled) break;
    }
    context.continueCalled = context.breakCalled = false;
    context.pop();
  }
}

function bare(of: Record<string, unknown>): Record<string, unknown> {
  return Object.assign(Object.create(null), of);
}

/** The variable `forloop`, as a plain record. */
function loopRecord(index: number, length: number) {
  return {
    index: index + 1,
    index0: index,
    rindex: length - index,
    rindex0: length - index - 1,
    first: index === 0,
    last: index === length - 1,
    length,
  };
}

/** All tags of templates. docs/template-language.md lists them. */
const TAGS = {
  assign: AssignTag,
  break: BreakTag,
  case: Case,
  comment: CommentTag,
  continue: ContinueTag,
  cycle: Cycle,
  echo: Echo,
  for: For,
  if: IfTag,
  unless: UnlessTag,
  "#": Remark,
};

/** Replaces all tags of an engine by ours. In `html`, `capture` makes safe HTML. */
export function registerTags(engine: Liquid, kind: "html" | "plain"): void {
  for (const name of Object.keys(engine.tags)) delete engine.tags[name];
  const capture = kind === "html" ? CaptureOfHtml : Capture;
  for (const [name, tag] of Object.entries({ ...TAGS, capture })) {
    engine.registerTag(name, tag as unknown as typeof Tag & (new () => Tag));
  }
}
