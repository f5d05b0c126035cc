/**
 * Checks that no file imports itself through other files, and that no capability of
 * `supabase/functions/_shared` does so through others. Type imports count, because with a circle of
 * them no file can be read first.
 */
import { filesOf, importsAmong } from "./imports.js";

const files = filesOf("*.ts", "*.tsx");
const importsOf = importsAmong(new Set(files));

type Graph = Map<string, Set<string>>;

/** The first circle in the graph, as a path that ends where it began. */
function circleIn(graph: Graph): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  function walk(node: string): string[] | undefined {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const circle = walk(next);
      if (circle) return circle;
    }
    path.pop();
    done.add(node);
    return undefined;
  }
  for (const node of graph.keys()) {
    const circle = walk(node);
    if (circle) return circle;
  }
  return undefined;
}

const capabilityOf = (file: string) =>
  /^supabase\/functions\/_shared\/([^/]+)\//.exec(file)?.[1] ?? undefined;

const byFile: Graph = new Map(files.map((file) => [file, new Set(importsOf(file))]));
const byCapability: Graph = new Map();
for (const [file, imported] of byFile) {
  const capability = capabilityOf(file);
  if (!capability) continue;
  const used = byCapability.get(capability) ?? new Set();
  for (const other of imported) {
    const name = capabilityOf(other);
    if (name && name !== capability) used.add(name);
  }
  byCapability.set(capability, used);
}

for (const [kind, graph] of [
  ["files", byFile],
  ["capabilities", byCapability],
] as const) {
  const circle = circleIn(graph);
  if (!circle) continue;
  console.error(`${kind} import each other in a circle: ${circle.join(" -> ")}`);
  process.exitCode = 1;
}
