import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { LogEntry } from '../stand-ins/functions-host/functions-host.ts';

export interface LogFile {
  path: string;
  /** Appends text unchanged. */
  text(text: string): void;
  entry(entry: LogEntry): void;
  close(): Promise<void>;
}

/** Opens the log of one run, which starts empty. */
export function openLogFile(path: string): LogFile {
  const stream = createWriteStream(path, { mode: 0o600 });
  // A full disk must not end the stack.
  stream.on('error', () => undefined);
  return {
    path,
    text: (text) => void stream.write(text),
    entry({ level, category, functionName, message }) {
      const source = functionName ?? category;
      stream.write(`${new Date().toISOString()} ${level.padEnd(11)} ${source}: ${message}\n`);
    },
    async close() {
      stream.end();
      await finished(stream).catch(() => undefined);
    },
  };
}
