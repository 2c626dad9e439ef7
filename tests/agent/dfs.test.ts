import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Samba } from '../../agent/smb/tests/samba/samba.ts';
import { startSamba } from '../../agent/smb/tests/support/samba.ts';
import { FileServer } from '../../agent/copy/file-server.ts';
import type { AgentOptions } from '../../agent/run-agent.ts';
import type { FileServerSettings } from '../../agent/settings/settings.ts';
import { fulfil } from '../../agent/copy/fulfil.ts';
import { AgentHere, agentEnv } from '../support/agent-process.ts';
import { FakeFolderService } from '../support/fake-folder-service.ts';
import { shareFolder } from '../../agent/base/share-folder.ts';
import { parseTargetPath } from '../../lib/contract/target-path.ts';
import { logLines } from '../support/log-lines.ts';
import { ntlmAccount } from '../support/ntlm-account.ts';
import { makeTree, treeOf } from '../support/share-trees.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const { describe, test } = requires('samba');

// The agent and a standalone namespace of a file server. For domain namespaces see tests/whole/active-directory.test.ts.

let samba: Samba;
let service: FakeFolderService;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  samba = await startSamba({
    globalLines: ['host msdfs = yes'],
    moreShares: { daten: ['msdfs root = yes'], archiv: [] },
  });
  makeTree(samba.templateFolder, { 'Pläne/Grundriß.txt': 'Grundriß', 'Übersicht.txt': 'Ü' });
  const daten = join(dirname(samba.projectFolder), 'daten');
  const links: Record<string, string> = {
    Projekte: '127.0.0.1\\projects',
    Muster: '127.0.0.1\\template',
    Archiv: '127.0.0.1\\archiv',
    // No server listens on this address.
    Ersatz: '127.0.0.2\\projects,127.0.0.1\\projects',
    Fremd: 'boese.test\\projects',
    Tot: '127.0.0.2\\projects',
  };
  for (const [name, targets] of Object.entries(links)) await symlink(`msdfs:${targets}`, join(daten, name));
});
afterAll(() => samba.stop());
beforeEach(async () => {
  service = await FakeFolderService.start();
  cleanups.push(() => service.stop());
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const namespace = '\\\\127.0.0.1\\daten';

function startAgent(changed: Readonly<Record<string, string>> = {}, options: AgentOptions = {}): AgentHere {
  const agent = new AgentHere(
    agentEnv(service, samba, { FOLDER_AGENT_DFS_SERVERS: '127.0.0.2', ...changed }),
    options,
  );
  cleanups.push(() => agent.stop());
  return agent;
}

const requestFolder = (targetPath: string) => service.finished(service.add(targetPath));

describe('template, root path and targets through a namespace', () => {
  test('template, root path, and a UNC target work, and the server copies the files itself', async () => {
    const agent = startAgent({
      FOLDER_AGENT_TEMPLATE_PATH: `${namespace}\\Muster`,
      FOLDER_AGENT_ROOT_PATH: `${namespace}\\Projekte`,
    });
    expect(await requestFolder(`relativ ${service.key}`)).toMatchObject({ status: 'FULFILLED' });
    expect(await requestFolder(`${namespace}\\Archiv\\absolut ${service.key}`)).toMatchObject({
      status: 'FULFILLED',
    });
    const template = treeOf(samba.templateFolder);
    expect(treeOf(join(samba.projectFolder, `relativ ${service.key}`))).toEqual(template);
    expect(treeOf(join(dirname(samba.projectFolder), `archiv/absolut ${service.key}`))).toEqual(template);
    const copied = agent.lines.filter(({ msg }) => msg === 'copied the template');
    expect(
      copied.map(({ filesCreated, filesCopiedByServer }) => [filesCreated, filesCopiedByServer]),
    ).toEqual([
      [2, 2],
      [2, 2],
    ]);
    expect(agent.lines.find(({ msg }) => msg === 'DFS leads to the destination')).toMatchObject({
      referrals: [`${namespace}\\Projekte → \\\\127.0.0.1\\projects`],
    });
  });

  test('a link whose first target is down', async () => {
    const agent = startAgent();
    const name = `ersatz ${service.key}`;
    expect(await requestFolder(`${namespace}\\Ersatz\\${name}`)).toMatchObject({ status: 'FULFILLED' });
    expect(await readdir(samba.projectFolder)).toContain(name);
    expect(agent.output).toContain(`${namespace.replaceAll('\\', '\\\\')}\\\\Ersatz → `);
  });
});

describe('a target is checked by its real location', () => {
  test.each(['Muster\\neu', 'muster\\a\\b'])(
    '%s is rejected, because it is another name for a location in the template',
    async (path) => {
      startAgent();
      const before = treeOf(samba.templateFolder);
      const { status, errorMessage } = await requestFolder(`${namespace}\\${path}`);
      expect([status, errorMessage]).toEqual([
        'FAILED',
        expect.stringMatching(/ \(\\\\127\.0\.0\.1\\template\\.*\) is inside the template directory /),
      ]);
      expect(treeOf(samba.templateFolder)).toEqual(before);
    },
  );

  test('a target that is named by its server is rejected if the template is the same location named through the namespace', async () => {
    startAgent({ FOLDER_AGENT_TEMPLATE_PATH: `${namespace}\\Muster\\Pläne` });
    const { status, errorMessage } = await requestFolder('\\\\127.0.0.1\\template\\pläne\\neu');
    expect([status, errorMessage]).toEqual([
      'FAILED',
      expect.stringContaining('is inside the template directory'),
    ]);
    const above = await requestFolder('\\\\127.0.0.1\\template\\Pläne');
    expect(above).toMatchObject({ status: 'FAILED' });
    expect(await readdir(join(samba.templateFolder, 'Pläne'))).toEqual(['Grundriß.txt']);
  });

  test('a target that the template contains by name alone is rejected too', async () => {
    startAgent({ FOLDER_AGENT_TEMPLATE_PATH: namespace });
    const name = `neu ${service.key}`;
    const { status, errorMessage } = await requestFolder(`${namespace}\\Archiv\\${name}`);
    expect([status, errorMessage]).toEqual([
      'FAILED',
      expect.stringContaining(` is inside the template directory ${namespace}. `),
    ]);
    expect(await readdir(join(dirname(samba.projectFolder), 'archiv'))).not.toContain(name);
  });

  test('a target can be below an allowed root by its location, whatever its name', async () => {
    startAgent({ FOLDER_AGENT_ALLOWED_ROOTS: '\\\\127.0.0.1\\archiv', FOLDER_AGENT_ROOT_PATH: '' });
    const name = `erlaubt ${service.key}`;
    expect(await requestFolder(`${namespace}\\Archiv\\${name}`)).toMatchObject({ status: 'FULFILLED' });
    expect(await readdir(join(dirname(samba.projectFolder), 'archiv'))).toContain(name);
    const { status, errorMessage } = await requestFolder(`${namespace}\\Projekte\\${name}`);
    expect([status, errorMessage]).toEqual([
      'FAILED',
      `The target path ${namespace}\\Projekte\\${name} (\\\\127.0.0.1\\projects\\${name}) is not below a directory that ` +
        'this agent may work in (FOLDER_AGENT_ALLOWED_ROOTS: \\\\127.0.0.1\\archiv). For operators: add one. Otherwise choose another target path.',
    ]);
    expect(await readdir(samba.projectFolder)).not.toContain(name);
    // The root is not below itself.
    expect(await requestFolder(`${namespace}\\Archiv`)).toMatchObject({ status: 'FAILED' });
  });

  test('an allowed root can be named through the namespace', async () => {
    startAgent({ FOLDER_AGENT_ALLOWED_ROOTS: `${namespace}\\Archiv`, FOLDER_AGENT_ROOT_PATH: '' });
    expect(await requestFolder(`\\\\127.0.0.1\\archiv\\a ${service.key}`)).toMatchObject({
      status: 'FULFILLED',
    });
    expect(await requestFolder(`${namespace}\\archiv\\b ${service.key}`)).toMatchObject({
      status: 'FULFILLED',
    });
    expect(await requestFolder(`\\\\127.0.0.1\\projects\\c ${service.key}`)).toMatchObject({
      status: 'FAILED',
    });
  });
});

describe('referrals', () => {
  test('to a server that is not allowed fail with a text that names the server and the setting', async () => {
    startAgent();
    const { status, errorMessage } = await requestFolder(`${namespace}\\Fremd\\x`);
    expect([status, errorMessage]).toEqual([
      'FAILED',
      `Destination ${namespace}\\Fremd: the DFS link ${namespace}\\Fremd leads to \\\\boese.test\\projects, and boese.test is not a ` +
        'server that this account may log on to. For operators: If the server is yours, add it to FOLDER_AGENT_DFS_SERVERS. ' +
        'The list must also include the servers of a domain namespace, usually the domain controllers.',
    ]);
  });

  test('are not followed if FOLDER_AGENT_DFS=off', async () => {
    startAgent({ FOLDER_AGENT_DFS: 'off' });
    const { status, errorMessage } = await requestFolder(`${namespace}\\Projekte\\x`);
    expect([status, errorMessage]).toEqual(['FAILED', expect.stringContaining('FOLDER_AGENT_DFS')]);
    expect(errorMessage).toContain('\\127.0.0.1\\projects');
  });

  test('are printed by --check', async () => {
    const agent = startAgent(
      {
        FOLDER_AGENT_TEMPLATE_PATH: `${namespace}\\Muster`,
        FOLDER_AGENT_ROOT_PATH: `${namespace}\\Ersatz`,
        FOLDER_AGENT_ALLOWED_ROOTS: `${namespace}\\Archiv`,
      },
      { check: true },
    );
    expect(await agent.ended, agent.output).toBe(0);
    for (const line of [
      `Template      ${namespace}\\Muster; DFS: ${namespace}\\Muster → \\\\127.0.0.1\\template`,
      `Root path     ${namespace}\\Ersatz; DFS: ${namespace}\\Ersatz → \\\\127.0.0.1\\projects`,
      `Allowed root  ${namespace}\\Archiv; DFS: ${namespace}\\Archiv → \\\\127.0.0.1\\archiv`,
      'DFS           links may lead to 127.0.0.1; 127.0.0.2 (FOLDER_AGENT_DFS_SERVERS)',
    ]) {
      expect(agent.output).toContain(line);
    }
  });
});

/** Works on a request, by default for a target below a link whose only server is 127.0.0.2. */
async function fulfilThere(path = 'Tot\\x', allowedRoot?: string) {
  const folderOf = (share: string) => shareFolder.parse(`//${samba.host}/${share}`);
  const { log } = logLines();
  const clock = new VirtualClock({ rushing: true });
  const names = { server: samba.host, aliases: [] };
  const settings: FileServerSettings = {
    ...names,
    port: samba.port,
    account: ntlmAccount(samba.account.user, samba.account.password),
    encryption: 'preferred',
    minimumDialect: '3.0',
    dfs: { domain: undefined, netbiosDomain: undefined, servers: ['127.0.0.2'] },
    ownFolders: [folderOf('template'), folderOf('projects')],
  };
  const fileServer = new FileServer(settings, clock, log);
  cleanups.push(() => fileServer.close());
  const target = parseTargetPath(`${namespace}\\${path}`);
  const rules = {
    ...names,
    dfs: settings.dfs,
    allowedRoots: allowedRoot === undefined ? undefined : [folderOf(allowedRoot)],
    template: folderOf('template'),
    root: undefined,
  };
  const parts = { fileServer, rules, maxBackoffMs: 30_000, clock, random: () => 0.5 };
  const never = new AbortController().signal;
  const outcome = await fulfil(target, parts, { end: never, stop: never }, log);
  return { outcome, readiness: await fileServer.readiness(never) };
}

test('when a link’s only target is down and the agent’s own servers respond, the request is left to its lease, and the agent continues', async () => {
  const { outcome, readiness } = await fulfilThere();
  // A released request would be claimed again immediately, by this agent too, before any other request.
  expect(outcome).toEqual({ kind: 'leave', reason: expect.stringContaining('cannot be reached') });
  expect(readiness).toEqual({ ready: true });
});

test('when an allowed root cannot be looked at, no target is said to be outside of it', async () => {
  const { outcome } = await fulfilThere('Archiv\\x', 'daten/Tot');
  expect(outcome).toEqual({ kind: 'leave', reason: expect.stringContaining('cannot be reached') });
});

test('when only a link’s target rejects the logon, the request is left to its lease, and the agent continues', async () => {
  const other = await startSamba({ globalLines: ['ntlm auth = disabled'] });
  cleanups.push(() => other.stop());
  const forwarder = createServer((client) => {
    const server = connect(other.port, '127.0.0.1');
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.pipe(server).pipe(client);
  });
  await once(forwarder.listen(samba.port, '127.0.0.2'), 'listening');
  cleanups.push(async () => void forwarder.close());
  const { outcome, readiness } = await fulfilThere();
  expect(outcome).toEqual({
    kind: 'leave',
    reason: expect.stringContaining('127.0.0.2 has NTLM switched off'),
  });
  expect(readiness).toEqual({ ready: true });
});
