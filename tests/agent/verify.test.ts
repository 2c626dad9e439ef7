import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { AgentFolder, agentRules } from '../../tools/verify/agent-rules.ts';
import { markerName, markerOf } from '../../tools/verify/library/leftovers.ts';
import { agentTarget } from '../../tools/verify/agent-target.ts';
import { type Outcome, probeAll } from '../../tools/verify/rule.ts';
import { agentEnv } from '../support/agent-process.ts';
import { FakeFolderService } from '../support/fake-folder-service.ts';
import { startFileServer } from '../../agent/smb/tests/support/start-file-server.ts';

let fileServer: TestFileServer;
let service: FakeFolderService;
beforeAll(async () => {
  [fileServer, service] = await Promise.all([startFileServer(), FakeFolderService.start()]);
});
afterAll(() => Promise.all([fileServer.stop(), service.stop()]));

async function verified(changes: Record<string, string> = {}): Promise<readonly Outcome[]> {
  await using target = agentTarget(agentEnv(service, fileServer, changes));
  const folder = await AgentFolder.create(target, '_verify-test');
  try {
    const run = await probeAll(agentRules, folder, { onOutcome: () => undefined });
    return run.outcomes;
  } finally {
    await folder.remove();
  }
}

const idsWhere = (outcomes: readonly Outcome[], holds: boolean | null) =>
  outcomes.filter((outcome) => outcome.holds === holds).map(({ id }) => id);

describe('npm run verify -w tools -- agent, against Samba', () => {
  test('finds every rule but those of Kerberos, and removes its folder', async () => {
    const outcomes = await verified();
    expect(outcomes.filter(({ holds }) => holds === false)).toEqual([]);
    expect(idsWhere(outcomes, null)).toEqual(['D3']);
    expect(readdirSync(fileServer.projectFolder)).toEqual([]);
    const text = outcomes.map(({ seen }) => seen).join('\n');
    for (const secret of [fileServer.account.password, fileServer.account.user, fileServer.host])
      expect(text).not.toContain(secret);
  });

  test('with a template that does not exist names what failed', async () => {
    const missing = `\\\\${fileServer.host}\\template\\missing`;
    const outcomes = await verified({ FOLDER_AGENT_TEMPLATE_PATH: missing });
    expect(idsWhere(outcomes, false)).toEqual(['D1']);
    expect(outcomes[0]?.seen).toBe('not ok: Template');
  });

  test('a folder that exists is left alone', async () => {
    await using target = agentTarget(agentEnv(service, fileServer));
    const first = await AgentFolder.create(target, '_verify-test');
    await expect(verified()).rejects.toThrow('exists already');
    expect(existsSync(join(fileServer.projectFolder, '_verify-test'))).toBe(true);
    await first.remove();
  });

  test('of folders with the name of a run, only an old one with its marker, or without contents, is removed', async () => {
    await using target = agentTarget(agentEnv(service, fileServer));
    const root = target.fileServer.folder(target.root);
    const hoursAgo = (hours: number) =>
      BigInt((Date.now() + 11_644_473_600_000 - hours * 3_600_000) * 10_000);
    const make = async (name: string, hours: number, files: Record<string, string>) => {
      await root.mkdir(name);
      for (const [file, text] of Object.entries(files)) await root.writeFile(`${name}\\${file}`, text);
      await root.setInfo(name, { createdAt: hoursAgo(hours) });
    };
    await make('_verify-aaaaaaaa', 2, { [markerName]: markerOf('_verify-aaaaaaaa'), 'Rest.txt': 'x' });
    await make('_verify-bbbbbbbb', 2, {});
    await make('_verify-cccccccc', 2, { 'Angebot.txt': 'x' });
    await make('_verify-dddddddd', 2, { [markerName]: markerOf('_verify-aaaaaaaa') });
    await make('_verify-eeeeeeee', 0, { [markerName]: markerOf('_verify-eeeeeeee') });
    await make('_verify-alt', 2, {});
    const folder = await AgentFolder.create(target, '_verify-99999999');
    await folder.remove();
    expect(folder.leftovers.removed.toSorted()).toEqual(['_verify-aaaaaaaa', '_verify-bbbbbbbb']);
    expect(folder.leftovers.left.map((text) => text.slice(0, 16)).toSorted()).toEqual([
      '_verify-cccccccc',
      '_verify-dddddddd',
      '_verify-eeeeeeee',
    ]);
    const left = ['_verify-alt', '_verify-cccccccc', '_verify-dddddddd', '_verify-eeeeeeee'];
    expect(readdirSync(fileServer.projectFolder).toSorted()).toEqual(left);
    for (const name of left) await root.rm(name, { recursive: true });
  });

  test('without a root there is no place for the folder', () => {
    const env = agentEnv(service, fileServer, { FOLDER_AGENT_ROOT_PATH: '' });
    expect(() => agentTarget(env)).toThrow('FOLDER_AGENT_ROOT_PATH is missing');
  });

  test('a folder that somebody removes in the middle ends the run', async () => {
    await using target = agentTarget(agentEnv(service, fileServer));
    const folder = await AgentFolder.create(target, '_verify-test');
    rmSync(join(fileServer.projectFolder, '_verify-test'), { recursive: true });
    const run = await probeAll(agentRules, folder, {
      onOutcome: () => undefined,
      requireTarget: () => folder.requireFolder(),
    });
    expect(run.stopped?.reason).toBe('the folder of this run cannot be reached (ENOENT)');
    await folder.remove();
    expect(folder.leftovers.left).toEqual([]);
  });
});
