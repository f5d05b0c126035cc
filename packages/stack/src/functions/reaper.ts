import { spawn } from "node:child_process";

/**
 * Kills what the stack started when the stack itself was killed. A function in an endless loop never
 * sees that its parent is gone, so a process outside of it has to: a shell that is told every
 * worker's id, and ends those still alive when its standard input closes.
 */
export interface Warden {
  watch(pid: number): void;
  forget(pid: number): void;
  close(): void;
}

const script = `
living=" "
while read -r sign pid; do
  case "$sign" in
    +) living="$living$pid ";;
    -) living="\${living%% $pid *} \${living#* $pid }";;
  esac
done
for pid in $living; do kill -9 "$pid" 2>/dev/null; done
`;

export function createWarden(): Warden {
  // Windows has no sh; there a worker ends with its parent unless it is in an endless loop.
  if (process.platform === "win32") return { watch() {}, forget() {}, close() {} };
  const shell = spawn("/bin/sh", ["-c", script], {
    stdio: ["pipe", "ignore", "ignore"],
    // Out of the terminal's group: Ctrl-C must not end it before the stack.
    detached: true,
    env: {},
  });
  // Without its warden the stack still works; only a kill -9 could leave something behind.
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  return {
    watch: (pid) => void shell.stdin.write(`+ ${pid}\n`),
    forget: (pid) => void shell.stdin.write(`- ${pid}\n`),
    close: () => shell.stdin.end(),
  };
}
