// Writes each edge function as one file into dist, prints the sizes, and fails if hosted would refuse one.
import { MOST_BYTES, tooLarge, writeBundles } from "./bundles.js";

const FOLDER = "dist";

const inKilobytes = (bytes: number) => `${Math.ceil(bytes / 1000)} kB`.padStart(10);

const bundles = await writeBundles(FOLDER);
console.log(`${"".padEnd(20)}${"size".padStart(10)}${"packed".padStart(10)}`);
for (const { name, bytes, packed } of bundles) {
  console.log(name.padEnd(20) + inKilobytes(bytes) + inKilobytes(packed));
}
for (const { name, bytes } of tooLarge(bundles)) {
  console.error(
    `${name} has ${bytes} bytes and may have ${MOST_BYTES}: remove a dependency, or part the function.`,
  );
  process.exitCode = 1;
}
