// `npm start`: builds, starts the whole product on loopback, prints all addresses, and runs until Ctrl-C.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { curlLines, shellVariables } from './curl-lines.ts';
import { programsBuiltBefore } from './programs.ts';
import { readOptions, usage, type Options } from './start-options.ts';
import type { Stack } from './stack.ts';
import { shellFile, stackDirectory, stackFile, writeForOwner, writeStackFile } from './stack-file.ts';

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
  // The service listens only after everything has been built and started.
  for (const next of options.port === 0 ? [] : [0, 1, 2]) await requireFreePort(options.port + next);
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

  const programs = programsBuiltBefore();
  console.log(programs.appDirectory === undefined ? 'Building and starting …' : 'Starting …');
  // Imported here: most of the time of a start, for nothing if an option or a port is rejected.
  const { startStack } = await import('./stack.ts');
  const { dataDirectory, ...rest } = options;
  const stack = await startStack({
    ...rest,
    ...programs,
    ...(dataDirectory === undefined ? {} : { dataDirectory }),
    logDirectory: join(stackDirectory, 'logs'),
    sourceMaps: true,
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

/** @throws Error with the code EADDRINUSE if another program listens on the port of loopback */
async function requireFreePort(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
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
