import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { releasedPrograms } from '../../../release/package/released-programs.ts';
import { call } from '../../../local/stack/call.ts';
import { agentEnvironment } from '../../../local/stack/agent-environment.ts';
import { releases } from '../../support/releases.ts';
import type { Stack } from '../../support/stack.ts';
import { requires } from '../../../agent/smb/tests/support/requires.ts';

const run = promisify(execFile);

const idOfAgent = (version: string): string => `agent-of-${version}`;
/** One for each release: what an agent reports of itself is stored at most once a minute. */
export const releasedAgentIds = releases.map(idOfAgent);

const archiveOf = (version: string): string => `folder-agent-${version}.tar.gz`;

export function releasedAgentStories(stack: () => Stack): void {
  test('the agent and the service of every release in the changelog are here', async () => {
    const kept = existsSync(releasedPrograms) ? await readdir(releasedPrograms) : [];
    const expected = releases.flatMap((version) => [archiveOf(version), `functions-${version}.tar.gz`]);
    expect(kept.toSorted()).toEqual(expected.toSorted());
  });

  // docs/compatibility.md: a service works with the agents of all earlier releases.
  requires('tar', 'sha256sum').describe.each(releases)(
    'the agent of %s, at the service of today,',
    (version) => {
      test('checks its settings, fulfills a request, reports a failed one, and is listed', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'released-'));
        await run('tar', ['-xzf', join(releasedPrograms, archiveOf(version)), '-C', folder]);
        const cwd = join(folder, archiveOf(version).replace('.tar.gz', ''));
        await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd });

        const { description, fileServer } = stack();
        const { share } = description;
        const { id: agentId, key } = description.agents.find(({ id }) => id === idOfAgent(version))!;
        const { templateDirectory, rootDirectory } = fileServer;
        const env = agentEnvironment(description, share, { id: agentId, key });
        const agent = (option: string) => run(process.execPath, ['agent.js', option], { cwd, env });
        const reported = async (targetPath: string): Promise<unknown> => {
          const { id } = await call<{ id: string }>(description, 'administrator', 'POST', 'folder-requests', {
            targetPath,
          });
          await agent('--once');
          return call(description, 'administrator', 'GET', `folder-requests/${id}`);
        };

        expect((await agent('--version')).stdout).toBe(`${version}\n`);
        const { stdout } = await agent('--check');
        expect(stdout.match(/^\w+/gm)).not.toContain('FAILED');

        const target = `Kunden/Müller/2026-0815 ${version}`;
        expect(await reported(target)).toMatchObject({
          status: 'FULFILLED',
          agentId,
          attempts: 1,
        });
        const made = await readdir(join(rootDirectory, target), { recursive: true });
        expect(made.toSorted()).toEqual((await readdir(templateDirectory, { recursive: true })).toSorted());
        expect(await reported(`\\\\${share.server}\\nowhere\\${version}`)).toMatchObject({
          status: 'FAILED',
          errorCode: 'share_not_found',
        });
        const { items } = await call<{ items: object[] }>(description, 'administrator', 'GET', 'agents');
        expect(items).toContainEqual(expect.objectContaining({ id: agentId, version, tooOld: false }));
      });
    },
  );
}
