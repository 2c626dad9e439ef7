import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noticesBeside } from '../../release/build/build.ts';
import { bundledPackages } from '../../release/build/bundled-packages.ts';
import type { Metafile } from '../../release/build/esbuild.ts';
import { noticesName } from '../../release/build/third-party-notices.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { agentMetafile, agentProgram } from '../support/built-agent.ts';
import { functionsMetafile } from '../support/built-console.ts';
import { appDirectory } from '../support/built-functions.ts';

/** The notices that ship with each program, and esbuild's description of it. */
const shipped = {
  functions: {
    notices: async () => join(await appDirectory(), noticesName),
    metafile: functionsMetafile,
  },
  // tests/whole/agent-package.test.ts checks that the archive has this file.
  agent: { notices: async () => noticesBeside(agentProgram()), metafile: agentMetafile },
};
const programs = Object.keys(shipped) as (keyof typeof shipped)[];

/** The folder with the nearest named package.json above each file in a bundle, except this repository. */
async function packageFolders({ outputs }: Metafile): Promise<string[]> {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput === 0 || !existsSync(join(repositoryRoot, file))) continue;
      let folder = dirname(join(repositoryRoot, file));
      // oidc-client-ts has a package.json with a version but no name in a separate folder.
      for (
        let found = await packageJson(folder);
        !found.name || !found.version;
        found = await packageJson(folder)
      )
        folder = dirname(folder);
      // Other folders with a manifest are our own.
      if (folder.includes('/node_modules/')) folders.add(folder);
    }
  }
  return [...folders];
}

async function packageJson(folder: string): Promise<{ name?: string; version?: string }> {
  const path = join(folder, 'package.json');
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as { name?: string }) : {};
}

describe.each(programs)('the code in the bundle of %s', (name) => {
  test('is listed in the notices, which have every package with the text of its license and no other package', async () => {
    const folders = await packageFolders(await shipped[name].metafile());
    if (name === 'functions') expect(folders.length).toBeGreaterThan(15);
    // Each start of the agent would load any other (docs/decisions/0030).
    else expect(folders).toEqual([expect.stringMatching(/\/node_modules\/zod$/)]);
    const text = await readFile(await shipped[name].notices(), 'utf8');
    const sections = new Map(
      text
        .split(/^={80}\n(?=\S.*\n={80}\n)/m)
        .slice(1)
        .map((section) => [section.slice(0, section.indexOf(' (')), section]),
    );
    const expected: string[] = [];
    for (const folder of folders) {
      const { name, version } = await packageJson(folder);
      const id = `${name} ${version}`;
      expected.push(id);
      const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
      for (const file of files) {
        const license = await readFile(join(folder, file), 'utf8');
        expect(sections.get(id), id).toContain(license.replaceAll('\r\n', '\n').trim());
      }
      expect(sections.get(id), id).toMatch(/permission|license|redistribution/i);
    }
    expect([...sections.keys()].toSorted()).toEqual(expected.toSorted());
  });

  test('has licenses that allow distribution in a product', async () => {
    const packages = await bundledPackages(await shipped[name].metafile());
    const licenses = new Set(packages.map(({ license }) => license));
    const allowed = new Set([
      'MIT',
      'ISC',
      'BSD-3-Clause',
      'Apache-2.0',
      '0BSD',
      '(MIT OR GPL-3.0)',
      '(MIT AND Zlib)',
      'Unlicense',
    ]);
    expect([...licenses].filter((license) => !allowed.has(license))).toEqual([]);
  });

  test('starts no other program', async () => {
    const { inputs } = await shipped[name].metafile();
    const starting = Object.entries(inputs)
      .filter(([, { imports }]) => imports.some(({ path }) => /child_process/.test(path)))
      .map(([file]) => file);
    // In the service, the parts of @azure/identity for the sign-in of developers can, which it does not select.
    const ofIdentity =
      '@azure/core-process open default-browser default-browser-id powershell-utils run-applescript wsl-utils';
    const isOfIdentity = (file: string) =>
      ofIdentity.split(' ').some((name) => file.startsWith(`node_modules/${name}/`));
    expect(starting.filter((file) => name === 'agent' || !isOfIdentity(file))).toEqual([]);
  });

  test("has none of zod's languages but English, which import * leaves out", async () => {
    const { outputs } = await shipped[name].metafile();
    const used = Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
    );
    expect(used.map(([file]) => file).join('\n')).not.toMatch(
      /node_modules\/zod\/v4\/locales\/(?!(en|index)\.js)/,
    );
  });
});
