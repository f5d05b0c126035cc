import { spawn } from "node:child_process";

/**
 * Kills the stack's child processes if the stack itself is killed. A function in an endless loop does not notice that
 * its parent is gone. So a separate shell receives every worker's process id, and kills those still running when its
 * standard input closes.
 */
export interface ProcessReaper {
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

export function createReaper(): ProcessReaper {
  // Windows has no sh. There a worker ends with its parent unless it is in an endless loop.
  if (process.platform === "win32") return { watch() {}, forget() {}, close() {} };
  const shell = spawn("/bin/sh", ["-c", script], {
    stdio: ["pipe", "ignore", "ignore"],
    // Detached from the terminal's process group: Ctrl-C must not end it before the stack.
    detached: true,
    env: {},
  });
  // Without the shell the stack still works, but a kill -9 may leave processes behind.
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  return {
    watch: (pid) => void shell.stdin.write(`+ ${pid}\n`),
    forget: (pid) => void shell.stdin.write(`- ${pid}\n`),
    close: () => shell.stdin.end(),
  };
}
