import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Write } from './base/logging.ts';

/**
 * A log for systems that keep no output of a service, as Windows' task scheduler: at most two files of `limitBytes`, the
 * current one and `<path>.1` with the lines before. Written synchronously, so that no line is lost however the process ends.
 *
 * @returns appends to the log, and never throws
 * @throws Error if the file cannot be opened
 */
export function openLogFile(path: string, limitBytes: number): Write {
  let fd = openSync(path, 'a');
  let bytes = fstatSync(fd).size;
  const startNext = () => {
    let flags = 'a';
    try {
      // On Windows, a rename cannot replace a file that another program has open.
      rmSync(`${path}.1`, { force: true });
      renameSync(path, `${path}.1`);
    } catch {
      // A program that shares neither file prevents both: then older lines go.
      flags = 'w';
    }
    const next = openSync(path, flags);
    closeSync(fd);
    fd = next;
    bytes = 0;
  };
  return (text) => {
    try {
      const length = Buffer.byteLength(text);
      if (bytes > 0 && bytes + length > limitBytes) startNext();
      writeSync(fd, text);
      bytes += length;
    } catch {
      // There is no other place to report it, and a full disk must not end the agent.
    }
  };
}
