import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// unit: pure rules, no process and no I/O. repository: the files of the repository held against each other and against the
// code. tools: what builds, packs and deploys. kerberos: the Kerberos client against vectors, MIT's KDC and hostile ones.
// smb: the SMB client against vectors, Samba and hostile peers. service: handlers on Azurite and the local emulators.
// agent: the agent against a real HTTP service and Samba. console: what runs in a browser, in Chromium. whole: the built bundles.
const project = (name: string, testTimeout: number, globalSetup: string[] = [], isolate = true) => ({
  test: {
    name,
    root: import.meta.dirname,
    include: [`${name}/**/*.test.ts`],
    testTimeout,
    globalSetup: globalSetup.map((file) => join(import.meta.dirname, file)),
    hookTimeout: 120_000,
    isolate,
    // The limit only ends what never comes true; vitest's own of 1 s fails on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});

export default defineConfig({
  test: {
    // Vitest's own default leaves one core free. Most files wait for something half of their time.
    maxWorkers: 2,
    // Imports JSON without the attribute Node demands; Vite's loader takes it.
    server: { deps: { inline: [/@actions\//] } },
    projects: [
      project('unit', 30_000, [], false),
      project('repository', 30_000),
      project('tools', 60_000),
      project('kerberos', 60_000),
      project('smb', 60_000),
      project('service', 60_000, ['support/azurite.ts', 'support/shared-app.ts']),
      project('agent', 60_000),
      project('console', 60_000),
      project('whole', 600_000, ['support/bundles.ts']),
    ],
  },
});
