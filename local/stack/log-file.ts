import { closeSync, openSync, writeSync } from 'node:fs';
import type { LogEntry } from '../stand-ins/functions-host/functions-host.ts';

export interface LogFile {
  path: string;
  /** Appends text unchanged. */
  text(text: string): void;
  entry(entry: LogEntry): void;
  close(): void;
}

/**
 * Opens the log of one run, which starts empty. Every line is in the file when the call returns. An asynchronous write takes
 * more processor time, for the thread that it wakes.
 */
export function openLogFile(path: string): LogFile {
  const file = openSync(path, 'w', 0o600);
  // The number of a closed file can be that of another one.
  let isOpen = true;
  const text = (added: string): void => {
    try {
      if (isOpen) writeSync(file, added);
    } catch {
      // A full disk must not end the stack.
    }
  };
  return {
    path,
    text,
    entry({ level, category, functionName, message }) {
      const source = functionName ?? category;
      text(`${new Date().toISOString()} ${level.padEnd(11)} ${source}: ${message}\n`);
    },
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}
