// `npm start`: builds, starts the whole product on loopback, prints all addresses, and runs until Ctrl-C.
import { rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPrograms } from './build-programs.ts';
import { curlLines, shellVariables } from './curl-lines.ts';
import { startStack, type Stack } from './stack.ts';
import { shellFile, stackDirectory, stackFile, writeForOwner, writeStackFile } from './stack-file.ts';

const defaultPort = 7071;

const usage = `Usage: npm start -- [--no-agent] [--port N] [--data DIR]

  --no-agent  start everything except the agent
  --port N    port of the service (default ${defaultPort}; 0 for a free one)
  --data DIR  keep tables, blobs, library, and shares in DIR between runs
`;

interface Options {
  agent: boolean;
  port: number;
  dataDirectory: string | undefined;
}

/** @throws Error for invalid arguments */
function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      'no-agent': { type: 'boolean', default: false },
      port: { type: 'string', default: String(defaultPort) },
      data: { type: 'string' },
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
  };
}

async function main(): Promise<number> {
  let options: Options | 'help';
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  if (options === 'help') {
    console.log(usage);
    return 0;
  }
  const stopRequested = Promise.withResolvers<void>();
  let firstSignalAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstSignalAt ??= Date.now();
      stopRequested.resolve();
      // A second Ctrl-C exits immediately, and the children exit with this process. Under npm, one Ctrl-C arrives twice:
      // from the terminal and from npm.
      if (Date.now() - firstSignalAt > 1000) process.exit(130);
    });
  }

  const programs = await buildPrograms();
  console.log('Starting …');
  const { dataDirectory, ...rest } = options;
  const stack = await startStack({
    ...rest,
    ...programs,
    ...(dataDirectory === undefined ? {} : { dataDirectory }),
    logDirectory: join(stackDirectory, 'logs'),
    onCritical: (message) => console.error(`CRITICAL: ${message}`),
  });
  try {
    await writeStackFile(stackFile, stack.description);
    await writeForOwner(shellFile, shellVariables(stack.description));
    console.log(screen(stack));
    let isStopping = false;
    void stack.agent?.ended.then((how) => {
      if (!isStopping) console.log(`The agent ended with ${how}.`);
    });
    await stopRequested.promise;
    isStopping = true;
    console.log('\nStopping …');
  } finally {
    await Promise.all([stackFile, shellFile].map((path) => rm(path, { force: true })));
    await stack.stop();
  }
  return 0;
}

/** The output for a newcomer, which fits a terminal of 24 lines together with npm's own lines. */
function screen({ parts, logs }: Stack): string {
  const shown = (path: string): string => {
    const fromHere = relative('', path);
    return fromHere.startsWith('..') ? path : fromHere;
  };
  const width = Math.max(...parts.map(([name]) => name.length));
  return [
    ...parts.map(([name, place]) => `${name.padEnd(width)}  ${place}`),
    '',
    `source ${shown(shellFile)}   # tokens and addresses; then:`,
    ...curlLines,
    `Logs: ${shown(logs.functions)}, ${shown(logs.agent)}`,
    `Ready. For programs: ${shown(stackFile)}. Ctrl-C stops everything.`,
  ].join('\n');
}

try {
  process.exit(await main());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
