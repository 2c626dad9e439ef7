import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { DriveSettings } from '../stand-ins/drive/settings.ts';
import { standInLike } from '../verify/report.ts';

const defaultPort = 7071;

export const usage = `Usage: npm start -- [--no-agent] [--port N] [--data DIR] [--like FILE]

  --no-agent  start everything except the agent
  --port N    port of the service (default ${defaultPort}; 0 for a free one)
  --data DIR  keep tables, blobs, library, and shares in DIR between runs
  --like FILE the library behaves like the one of a report of npm run verify
`;

export interface Options {
  agent: boolean;
  port: number;
  dataDirectory: string | undefined;
  librarySettings: Partial<DriveSettings>;
}

/** @throws Error for invalid arguments */
export function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      'no-agent': { type: 'boolean', default: false },
      port: { type: 'string', default: String(defaultPort) },
      data: { type: 'string' },
      like: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new Error(`--port ${values.port}: expected 0 to 65535`);
  if (values.data === '') throw new Error('--data: expected a directory');
  return {
    agent: !values['no-agent'],
    port,
    dataDirectory: values.data === undefined ? undefined : resolve(values.data),
    librarySettings: values.like === undefined ? {} : standInLike(readFileSync(values.like, 'utf8')),
  };
}
