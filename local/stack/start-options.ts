import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { DriveSettings } from '../stand-ins/drive/base/settings.ts';
import type { FileServerChoice } from './file-server.ts';
import { standInLike } from '../stand-ins/drive/report-settings.ts';

const defaultPort = 7071;

export const usage = `Usage: npm start -- [--no-agent] [--port N] [--data DIR] [--like FILE]
                      [--samba] [--front-end-origin URL]...

  --no-agent  start everything except the agent
  --port N    port of the service (default ${defaultPort}; 0 for free ones); the identity
              provider has the next two
  --data DIR  keep tables, blobs, library, and shares in DIR between runs
  --like FILE the library behaves like the one of a report of npm run verify -w tools
  --samba     the file server is Samba, also where it is not found: then the start
              says how to install it
  --front-end-origin URL
              a page of this origin can sign users in and call the service, for
              example http://localhost:5173; can be given several times
`;

export interface Options {
  agent: boolean;
  fileServer: FileServerChoice;
  port: number;
  dataDirectory: string | undefined;
  librarySettings: Partial<DriveSettings>;
  frontEndOrigins: string[];
}

/** @throws Error for invalid arguments */
export function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      'no-agent': { type: 'boolean', default: false },
      samba: { type: 'boolean', default: false },
      port: { type: 'string', default: String(defaultPort) },
      data: { type: 'string' },
      like: { type: 'string' },
      'front-end-origin': { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new Error(`--port ${values.port}: expected 0 to 65535`);
  for (const origin of values['front-end-origin']) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new Error(`--front-end-origin ${origin}: expected an origin like http://localhost:5173`);
  }
  if (values.data === '') throw new Error('--data: expected a directory');
  return {
    agent: !values['no-agent'],
    fileServer: values.samba ? 'samba' : 'any',
    port,
    dataDirectory: values.data === undefined ? undefined : resolve(values.data),
    frontEndOrigins: values['front-end-origin'],
    librarySettings: values.like === undefined ? {} : standInLike(readFileSync(values.like, 'utf8')),
  };
}
