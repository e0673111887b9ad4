import { writeSync } from 'node:fs';

/**
 * Prints a line at once, so that it survives a kill of this process. If the reader is slow and the pipe is full, waits
 * instead of failing.
 */
export function acknowledge(line) {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
