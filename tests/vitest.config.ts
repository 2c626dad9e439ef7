import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { missingProgramsSummary } from './support/missing-programs.ts';
import { azureNodePath } from './support/azure-node.ts';
import { SlowestFirst } from './support/slowest-first.ts';

const here = (file: string) => join(import.meta.dirname, file);
const smb = (file: string) => here(`../agent/smb/tests/support/${file}`);

// V8's code cache, shared by the test processes and the programs that they start. A program of the agent's sources starts
// in 0.25 s of processor time with it, in 0.6 s without. Each run adds the code of what it builds in new folders: after a day
// it begins anew.
const compiled = here('../node_modules/.cache/compiled');
const dayMs = 24 * 60 * 60 * 1000;
const { birthtimeMs = Date.now() } = statSync(compiled, { throwIfNoEntry: false }) ?? {};
if (Date.now() - birthtimeMs > dayMs) rmSync(compiled, { recursive: true, force: true });
process.env['NODE_COMPILE_CACHE'] ??= compiled;

// The servers of the tests run in the test processes and move hundreds of MiB. By default V8 collects the whole heap after
// every 64 MiB of buffers; with this flag, after a share of the heap. An upload and a download of 24 MiB take 100 ms of the
// test process with it, 290 ms without.
const gcFlags = ['--external-memory-accounted-in-global-limit'];

// Node loads the sources as it loads the programs, by its own cache of compiled code, instead of vite, which transforms each
// module and calls what is imported through an object. Nothing here mocks a module, which is what vite's loader is for.
const nativeImports = { experimental: { viteModuleRunner: false, nodeLoader: false } };

// For two cores, because many files wait for much of their time. Each process warms up anew and starts services of its own: with
// five, the test processes and the services took 392 s of processor time, with four 348 s. Vitest's default leaves one core free.
const maxWorkers = 4;

// unit: pure rules, no process and no I/O. evaluation: the rules of texts on all labeled texts, and what reads texts and
// requests, on hostile ones, which takes seconds. repository: the files of the repository held against each other and against the
// code. tools: what builds, packs and deploys. smb: the SMB client and its Kerberos, a package of its own in agent/smb.
// service: handlers on Azurite and the local emulators.
// agent: the agent against a real HTTP service and Samba. console: what runs in a browser, in Chromium. whole: the built bundles.
const project = (
  name: string,
  testTimeout: number,
  globalSetup: string[] = [],
  env: Record<string, string> = {},
) => ({
  plugins: [missingProgramsSummary],
  test: {
    name,
    root: import.meta.dirname,
    include: [`${name}/**/*.test.ts`],
    testTimeout,
    globalSetup: [smb('run-folder.ts'), ...globalSetup.map(here)],
    setupFiles: [smb('test-folder.ts')],
    hookTimeout: 120_000,
    // The tests restore the state of their process. A new process for each file of tools and whole takes 0.35 s of processor time
    // more.
    isolate: false,
    env,
    execArgv: gcFlags,
    // One of its tests reads a package that imports JSON without the attribute that Node requires.
    ...(name !== 'repository' && nativeImports),
    // The limit only ends a condition that never becomes true; vitest's default of 1 s fails on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});

export default defineConfig({
  test: {
    maxWorkers,
    reporters: ['default'],
    sequence: { sequencer: SlowestFirst },
    // A package of the project `repository`.
    server: { deps: { inline: [/@actions\//] } },
    projects: [
      project('unit', 30_000),
      project('evaluation', 30_000),
      project('repository', 30_000),
      project('tools', 60_000),
      // Inherits nothing of this file.
      {
        extends: here('../agent/smb/vitest.config.ts'),
        plugins: [missingProgramsSummary],
        test: { name: 'smb', root: here('../agent/smb'), execArgv: gcFlags, maxWorkers, ...nativeImports },
      },
      project('service', 60_000, ['support/shared-azurite.ts', 'support/built-once.ts']),
      project('agent', 60_000, ['support/built-agent.ts']),
      project('console', 60_000),
      // The package for Azure runs on the Node that Azure has.
      project(
        'whole',
        600_000,
        [
          'support/built-agent.ts',
          'support/built-once.ts',
          'support/shared-azurite.ts',
          'support/azure-node.ts',
        ],
        { FUNCTIONS_WORKER_NODE: azureNodePath },
      ),
    ],
  },
});
