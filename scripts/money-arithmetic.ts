import ts from "typescript";

/** The words by which fields, variables and functions of money are named. */
const WORDS = new Set([
  ...["amount", "balance", "bid", "budget", "cost", "discount", "due", "fee", "money", "payout"],
  ...["price", "revenue", "spend", "subtotal"],
]);
/** Names without such a word. */
const NAMES = new Set(["average_order", "free_from"]);
/** Last words of names that are about money, and no amounts. */
const NO_AMOUNT = new Set([
  "at",
  "count",
  "currency",
  "id",
  "key",
  "name",
  "percent",
  "share",
  "type",
]);

const ARITHMETIC = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.PlusToken, "+"],
  [ts.SyntaxKind.MinusToken, "-"],
  [ts.SyntaxKind.AsteriskToken, "*"],
  [ts.SyntaxKind.SlashToken, "/"],
  [ts.SyntaxKind.PercentToken, "%"],
  [ts.SyntaxKind.AsteriskAsteriskToken, "**"],
  [ts.SyntaxKind.PlusEqualsToken, "+="],
  [ts.SyntaxKind.MinusEqualsToken, "-="],
  [ts.SyntaxKind.AsteriskEqualsToken, "*="],
  [ts.SyntaxKind.SlashEqualsToken, "/="],
]);

/** Operators whose value is one of their operands. */
const CHOOSING = new Set([
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
]);

/** Methods of a list or a number whose value is a part of it, or it in another form. */
const OF_THE_SAME = new Set([
  ...["at", "concat", "filter", "find", "findLast", "flat", "pop", "reverse", "shift", "slice"],
  ...["sort", "toReversed", "toSorted", "toSpliced", "valueOf", "values", "with"],
]);

/** Whether a name, in snake_case or camelCase, is that of an amount of money. */
export function isNameOfMoney(name: string): boolean {
  if (NAMES.has(name)) return true;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split("_");
  const last = words.at(-1) ?? "";
  if (NO_AMOUNT.has(last)) return false;
  // `total` alone is the number of records of a list; `cartTotal` is an amount.
  if (last === "total" && words.length > 1) return true;
  return words.some((word) => WORDS.has(word) || WORDS.has(word.replace(/s$/, "")));
}

/**
 * The places of a file that calculate with money in floating point, a line each: arithmetic operators and `toFixed` on names
 * of money, and on variables that hold such a value.
 */
export function findMoneyArithmetic(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** Variables with other names that hold money. */
  const holders = new Set<string>();

  function isMoney(node: ts.Node): boolean {
    if (ts.isIdentifier(node)) return holders.has(node.text) || isNameOfMoney(node.text);
    if (ts.isPropertyAccessExpression(node)) return isNameOfMoney(node.name.text);
    if (ts.isElementAccessExpression(node)) {
      const { argumentExpression: key } = node;
      return ts.isStringLiteral(key) ? isNameOfMoney(key.text) : isMoney(node.expression);
    }
    if (ts.isConditionalExpression(node)) return isMoney(node.whenTrue) || isMoney(node.whenFalse);
    if (ts.isBinaryExpression(node)) {
      const kind = node.operatorToken.kind;
      if (!CHOOSING.has(kind) && !ARITHMETIC.has(kind)) return false;
      return isMoney(node.left) || isMoney(node.right);
    }
    if (ts.isCallExpression(node)) return isMoneyCall(node);
    if (ts.isPrefixUnaryExpression(node)) return isMoney(node.operand);
    if (ts.isTemplateExpression(node)) {
      return (
        node.templateSpans.length === 1 && isMoney(node.templateSpans[0]?.expression as ts.Node)
      );
    }
    const isWrapped =
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isAwaitExpression(node) ||
      ts.isNonNullExpression(node);
    return isWrapped && isMoney(node.expression);
  }

  /** `cartTotal(cart)`, and what passes its arguments on: `Number(price)`, `Math.max(0, fee)`. */
  function isMoneyCall({ expression, arguments: given }: ts.CallExpression): boolean {
    if (/^(Number|parseFloat|Number\.parseFloat|Math\.\w+)$/.test(expression.getText(source))) {
      return given.some(isMoney);
    }
    if (ts.isPropertyAccessExpression(expression)) {
      const method = expression.name.text;
      if (OF_THE_SAME.has(method)) return isMoney(expression.expression);
      const [made] = given;
      if (/^(map|flatMap)$/.test(method) && made && ts.isArrowFunction(made))
        return isMoney(made.body);
      return /^price\w+$|\w+(Price|Amount)$/.test(method) && isNameOfMoney(method);
    }
    // Texts of money, such as `money(5, "EUR")`, are joined with `+` at most.
    return ts.isIdentifier(expression) && expression.text !== "money" && isMoney(expression);
  }

  function addHolder(name: ts.Node | undefined): void {
    if (!name) return;
    if (ts.isIdentifier(name)) holders.add(name.text);
    if (ts.isArrayBindingPattern(name)) {
      for (const one of name.elements) if (ts.isBindingElement(one)) addHolder(one.name);
    }
  }

  function addHolders(node: ts.Node): void {
    if (ts.isBindingElement(node) && node.propertyName && isMoney(node.propertyName))
      addHolder(node.name);
    const isSet = ts.isVariableDeclaration(node) || ts.isParameter(node);
    if (isSet && node.initializer && isMoney(node.initializer)) addHolder(node.name);
    if (
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
      isMoney(node.right)
    ) {
      addHolder(node.left);
    }
    if (
      ts.isForOfStatement(node) &&
      ts.isVariableDeclarationList(node.initializer) &&
      isMoney(node.expression)
    ) {
      addHolder(node.initializer.declarations[0]?.name);
    }
    if (ts.isCallExpression(node)) addElements(node);
    ts.forEachChild(node, addHolders);
  }

  /** The parameters that a list of money gives to a function: the element, and for `reduce` the sum before it. */
  function addElements({ expression, arguments: [given] }: ts.CallExpression): void {
    if (!given || !(ts.isArrowFunction(given) || ts.isFunctionExpression(given))) return;
    if (!ts.isPropertyAccessExpression(expression) || !isMoney(expression.expression)) return;
    const count = /^reduce/.test(expression.name.text) ? 2 : 1;
    for (const { name } of given.parameters.slice(0, count)) addHolder(name);
  }

  const faults: string[] = [];
  function refuse(node: ts.Node, what: string): void {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    faults.push(
      `${path}:${line + 1}: \`${what}\` on money: use addMoney or multiplyMoney of @souk/client`,
    );
  }

  function check(node: ts.Node): void {
    if (ts.isBinaryExpression(node)) {
      const sign = ARITHMETIC.get(node.operatorToken.kind);
      const isText = [node.left, node.right].some(ts.isStringLiteralLike);
      if (sign && !isText && (isMoney(node.left) || isMoney(node.right))) refuse(node, sign);
    }
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const isStep =
        node.operator === ts.SyntaxKind.PlusPlusToken ||
        node.operator === ts.SyntaxKind.MinusMinusToken;
      if (isStep && isMoney(node.operand)) refuse(node, "++ or --");
    }
    if (
      ts.isPropertyAccessExpression(node) &&
      /^to(Fixed|Precision)$/.test(node.name.text) &&
      isMoney(node.expression)
    ) {
      refuse(node, node.name.text);
    }
    ts.forEachChild(node, check);
  }

  // A variable may hold what another one holds that comes later.
  for (let before = -1; before < holders.size; ) {
    before = holders.size;
    addHolders(source);
  }
  check(source);
  return [...new Set(faults)];
}
