import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/**
 * A log for systems that keep no output of a service, as Windows' task scheduler: at most two files of `limitBytes`, the
 * current one and `<path>.1` with the lines before. Written synchronously, so that no line is lost however the process ends.
 */
export class LogFile {
  readonly #path: string;
  readonly #limitBytes: number;
  #fd: number;
  #bytes: number;

  /** @throws Error if the file cannot be opened */
  constructor(path: string, limitBytes: number) {
    this.#path = path;
    this.#limitBytes = limitBytes;
    this.#fd = openSync(path, 'a');
    this.#bytes = fstatSync(this.#fd).size;
  }

  /** Never throws: a full disk must not end the agent. */
  write(text: string): void {
    try {
      const length = Buffer.byteLength(text);
      if (this.#bytes > 0 && this.#bytes + length > this.#limitBytes) this.#startNext();
      writeSync(this.#fd, text);
      this.#bytes += length;
    } catch {
      // There is no other place to report it.
    }
  }

  #startNext(): void {
    let flags = 'a';
    try {
      // On Windows, a rename cannot replace a file that another program has open.
      rmSync(`${this.#path}.1`, { force: true });
      renameSync(this.#path, `${this.#path}.1`);
    } catch {
      // A program that shares neither file prevents both: then older lines go.
      flags = 'w';
    }
    const next = openSync(this.#path, flags);
    closeSync(this.#fd);
    this.#fd = next;
    this.#bytes = 0;
  }
}
