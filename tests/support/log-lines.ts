import { createLogger, type Logger } from '../../agent/base/logging.ts';
import { Secret } from '../../lib/contract/secret.ts';

/** A logger whose lines a test can read. */
export function logLines(secrets: readonly string[] = [], debug = true): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const log = createLogger({
    agentId: 'test-agent',
    format: 'json',
    debug,
    secrets: secrets.map((value) => new Secret(value)),
    write: (line) => void lines.push(line),
  });
  return { log, lines };
}
