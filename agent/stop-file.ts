import { rmSync } from 'node:fs';

const everyMs = 500;

/**
 * Removes the file and calls `onStop` each time the file appears: Windows has no signals for other processes. A file from
 * before this call is only removed. Whoever can write to its folder can stop the agent.
 */
export function watchStopFile(path: string, onStop: () => void): void {
  rmSync(path, { force: true });
  const removeIt = () => {
    try {
      rmSync(path);
    } catch {
      return;
    }
    onStop();
  };
  setInterval(removeIt, everyMs).unref();
}
