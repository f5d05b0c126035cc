import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";

// Plain JavaScript, because scripts/install.mjs needs it before dependencies are installed.

/**
 * `O_EXLOCK` of macOS and the BSDs, for which Node has no constant: opens and locks in one step.
 */
const OPEN_LOCKED = 0x20;

/**
 * Claims a folder for this process; null when a living process holds it.
 *
 * The kernel keeps the claim, by the folder's identity rather than its path, and releases it when
 * the process ends, however it ends. So there are no stale locks and no reused process ids.
 * On Linux, containers that share a folder but not a network do not see each other's claims.
 *
 * @param {string} folder must exist
 * @returns {Promise<null | (() => Promise<void>)>} a function that releases the claim
 */
export async function lockFolder(folder) {
  if (process.platform !== "linux" && process.platform !== "win32") {
    return await lockFile(join(folder, ".lock"));
  }
  const { dev, ino } = await stat(folder, { bigint: true });
  // An abstract socket on Linux, a named pipe on Windows: neither is a file.
  const prefix = process.platform === "win32" ? "\\\\.\\pipe\\" : "\0";
  return await lockName(`${prefix}souk-${dev}-${ino}`);
}

/** @param {string} name */
function lockName(name) {
  return new Promise((resolve, reject) => {
    const server = createServer((visitor) => visitor.destroy());
    server.once("error", (error) => {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === "EADDRINUSE") resolve(null);
      else reject(error);
    });
    server.listen(name, () => {
      server.unref();
      resolve(() => new Promise((done) => server.close(() => done(undefined))));
    });
  });
}

/** @param {string} path */
async function lockFile(path) {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | OPEN_LOCKED;
  try {
    const file = await open(path, flags);
    return () => file.close();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EAGAIN") return null;
    throw error;
  }
}
