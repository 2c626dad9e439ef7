import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AgentOptions } from '../../agent/run-agent.ts';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { startFileServer } from '../../agent/smb/tests/support/start-file-server.ts';
import { AgentHere, AgentProcess, agentEnv } from '../support/agent-process.ts';
import { DelayProxy } from '../../agent/smb/tests/support/delay-proxy.ts';
import { FakeFolderService, misbehaviors } from '../support/fake-folder-service.ts';
import { inTheMiddle, makeTree, treeOf } from '../support/share-trees.ts';
import { until } from '../../agent/smb/tests/support/until.ts';

let fileServer: TestFileServer;
let service: FakeFolderService;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  fileServer = await startFileServer({
    moreShares: { readonly: 'readOnly', limited: 'limited' },
    hasRecycleBin: true,
  });
});
afterAll(() => fileServer.stop());
beforeEach(async () => {
  service = await FakeFolderService.start();
  cleanups.push(() => service.stop());
  makeTree(fileServer.templateFolder, {
    'Pläne/Grundriß.txt': 'Grundriß',
    '02_Aufträge/': '',
    'Übersicht.txt': 'Ü',
  });
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  for (const folder of [fileServer.templateFolder, fileServer.projectFolder]) {
    await rm(folder, { recursive: true });
    await mkdir(folder);
  }
});

function startAgent(
  changed: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): AgentProcess {
  const agent = new AgentProcess(agentEnv(service, fileServer, changed), args);
  cleanups.push(() => agent.stop());
  return agent;
}

function startHere(changed: Readonly<Record<string, string>> = {}, options: AgentOptions = {}): AgentHere {
  const agent = new AgentHere(agentEnv(service, fileServer, changed), options);
  cleanups.push(() => agent.stop());
  return agent;
}

/** A file server with a long round-trip time, so that a test can act in the middle of a copy. */
async function farSamba(oneWayMs: number): Promise<DelayProxy> {
  const proxy = await DelayProxy.start(fileServer.port, oneWayMs);
  cleanups.push(() => proxy.stop());
  return proxy;
}

const deepTemplate = (levels: number) =>
  makeTree(fileServer.templateFolder, {
    [`${Array.from({ length: levels }, (_, level) => `Ebene ${level}`).join('/')}/unten.txt`]: 'tief',
  });

const projectFolder = (name: string) => join(fileServer.projectFolder, name);
const project = (name: string) => treeOf(projectFolder(name));

describe('a claimed request', () => {
  test('becomes a directory filled from the template, relative or UNC', async () => {
    const agent = startAgent();
    const relative = await service.finished(service.add('Kunden\\Müller'));
    const unc = await service.finished(service.add(`\\\\${fileServer.host}\\projects\\Archiv\\2026`));
    expect([relative.status, unc.status]).toEqual(['FULFILLED', 'FULFILLED']);
    const template = treeOf(fileServer.templateFolder);
    expect(project('Kunden/Müller')).toEqual(template);
    expect(project('Archiv/2026')).toEqual(template);
    agent.signal('SIGTERM');
    expect(await agent.ended).toBe(0);
  });

  test('is reported again without a visible effect when the response to the first report is lost', async () => {
    startHere();
    service.misbehave(
      'report',
      misbehaviors.lostResponse(),
      misbehaviors.htmlPage(502),
      misbehaviors.retryAfter(429, 0),
    );
    const id = service.add('a');
    await service.until(() => service.count('report') === 4);
    expect(service.get(id)).toMatchObject({ status: 'FULFILLED', attempts: 1 });
    expect(service.calls.at(-1)).toMatchObject({ route: 'report', status: 200 });
  });
});

describe('signals', () => {
  test('the first lets the current request finish, with heartbeats until the end', async () => {
    deepTemplate(10);
    service.leaseMs = 12_000;
    const proxy = await farSamba(10);
    const agent = startAgent({ FOLDER_AGENT_SMB_PORT: String(proxy.port) });
    const id = service.add('slow');
    const next = service.add('next');
    await inTheMiddle(proxy, projectFolder('slow'), 5);
    agent.signal('SIGTERM');
    await agent.says('stopping');
    const before = service.count('heartbeat');
    await service.until(() => service.count('heartbeat') > before);
    expect(service.get(id).status).toBe('PROCESSING');
    proxy.release();
    expect(await agent.ended).toBe(0);
    expect(service.get(id)).toMatchObject({ status: 'FULFILLED', attempts: 1 });
    expect(service.get(next).status).toBe('PENDING');
    expect(project('slow')).toEqual(treeOf(fileServer.templateFolder));
  });

  test('the second releases the request without a report, and the next agent completes it immediately', async () => {
    deepTemplate(10);
    const proxy = await farSamba(10);
    const agent = startAgent({ FOLDER_AGENT_SMB_PORT: String(proxy.port) });
    const id = service.add('handed back');
    await inTheMiddle(proxy, projectFolder('handed back'), 5);
    agent.signal('SIGINT');
    await agent.says('stopping');
    agent.signal('SIGTERM');
    await agent.says('released');
    proxy.release();
    expect(await agent.ended).toBe(143);
    expect(service.get(id)).toMatchObject({ status: 'PENDING', agentId: null, attempts: 1 });
    expect(service.releases).toEqual([
      { id, reason: 'the agent received a second signal and stops immediately' },
    ]);
    expect(service.count('report')).toBe(0);
    startHere();
    expect(await service.finished(id)).toMatchObject({ status: 'FULFILLED', attempts: 2 });
    expect(project('handed back')).toEqual(treeOf(fileServer.templateFolder));
  });

  test('the file beside the log is a signal each time it appears; one from before the start is not', async () => {
    deepTemplate(10);
    const log = join(await mkdtemp(join(tmpdir(), 'stop-file-')), 'agent.log');
    const stopFile = `${log}.stop`;
    await writeFile(stopFile, '');
    const proxy = await farSamba(10);
    const agent = startAgent({ FOLDER_AGENT_SMB_PORT: String(proxy.port) }, ['--log-file', log]);
    const id = service.add('stopped by a file');
    await inTheMiddle(proxy, projectFolder('stopped by a file'), 5);
    for (const says of ['stopping', 'released']) {
      await writeFile(stopFile, '');
      await until(
        says,
        () => readFile(log, 'utf8'),
        (text) => text.includes(says),
      );
      await expect(access(stopFile)).rejects.toThrow('ENOENT');
    }
    proxy.release();
    expect(await agent.ended).toBe(143);
    expect(service.releases).toMatchObject([{ id }]);
  });

  test('on Windows, the end of the console releases the request', async () => {
    deepTemplate(10);
    const proxy = await farSamba(10);
    const asOnWindows = `--import=data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})`;
    const agent = startAgent({ FOLDER_AGENT_SMB_PORT: String(proxy.port), NODE_OPTIONS: asOnWindows });
    const id = service.add('closed');
    await inTheMiddle(proxy, projectFolder('closed'), 5);
    // Node's name for it.
    agent.signal('SIGHUP');
    await agent.says('released');
    proxy.release();
    expect(await agent.ended).toBe(129);
    expect(service.releases).toMatchObject([{ id }]);
  });

  test('an idle agent stops immediately', async () => {
    const agent = startAgent({ FOLDER_AGENT_POLL_INTERVAL_MS: '3600000' });
    await service.until(() => service.count('claim') > 0);
    agent.signal('SIGINT');
    expect(await agent.ended).toBe(0);
  });
});

describe('an agent that dies or loses its claim', () => {
  test('after kill -9 in the middle of a copy, the next attempt completes the directory and leaves nothing in a recycle bin', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `Ordner ${index % 40}/Datei ${index}.bin`,
        Buffer.alloc(30_000, index),
      ]),
    );
    makeTree(fileServer.templateFolder, files);
    const proxy = await farSamba(10);
    const killed = startAgent({ FOLDER_AGENT_SMB_PORT: String(proxy.port) });
    const id = service.add('killed');
    await inTheMiddle(proxy, projectFolder('killed'), 100);
    killed.signal('SIGKILL');
    await killed.ended;
    proxy.cut();
    // Until then, the server carries out what it has received, and renames or removes the file that was being written.
    await expect.poll(() => fileServer.connectionPids()).toEqual([]);
    expect(service.get(id)).toMatchObject({ status: 'PROCESSING', attempts: 1 });
    const template = treeOf(fileServer.templateFolder);
    const partial = project('killed');
    expect(Object.keys(partial).length).toBeLessThan(Object.keys(template).length);
    for (const [path, content] of Object.entries(partial)) {
      if (path.endsWith('.bin')) expect(content === template[path], path).toBe(true);
    }
    // Beside what the agent was writing, one more file that a crash left, in a directory that misses more files than that.
    const lacking = Array.from({ length: 40 }, (_, index) => `Ordner ${index}`).find((folder) => {
      const names = Object.keys(partial).filter((path) => path.startsWith(`${folder}/`));
      const [whole, begun] = ['.bin', '.tmp'].map((end) => names.filter((name) => name.endsWith(end)).length);
      return 10 - whole! > begun!;
    });
    makeTree(projectFolder('killed'), { [`${lacking}/~smb-00112233445566ff.tmp`]: 'half' });
    service.expireLease(id);
    startHere();
    expect(await service.finished(id)).toMatchObject({ status: 'FULFILLED', attempts: 2 });
    expect(project('killed')).toEqual(template);
    expect(await readdir(fileServer.projectFolder)).toEqual(['killed']);
  });

  test('a lost claim ends the work immediately without a report, and the agent continues', async () => {
    deepTemplate(30);
    service.leaseMs = 6000;
    const proxy = await farSamba(200);
    const agent = startHere({ FOLDER_AGENT_SMB_PORT: String(proxy.port) });
    const id = service.add('lost');
    await agent.says('claimed');
    service.giveToOther(id);
    await agent.says('the claim is lost');
    expect(service.count('report')).toBe(0);
    const made = await readdir(fileServer.projectFolder, { recursive: true });
    expect(made.filter((path) => path.endsWith('unten.txt'))).toEqual([]);
    proxy.setOneWayMs(0);
    expect((await service.finished(service.add('next'))).status).toBe('FULFILLED');
    expect(service.get(id)).toMatchObject({ status: 'PROCESSING', agentId: 'other' });
  });
});

describe('--once', () => {
  test('works until nothing is claimable and exits with 0', async () => {
    const ids = ['a', 'b', '..'].map((path) => service.add(path));
    const agent = startAgent({}, ['--once']);
    expect(await agent.ended).toBe(0);
    expect(ids.map((id) => service.get(id).status)).toEqual(['FULFILLED', 'FULFILLED', 'FAILED']);
    expect(service.get(ids[2]!).errorMessage).toContain('would point at another folder');
  });

  test('exits with 1 when the file server rejects the logon, without claiming a request', async () => {
    const id = service.add('a');
    const agent = startHere({ FOLDER_AGENT_SMB_PASSWORD: 'wrong-password-55' }, { once: true });
    expect(await agent.ended).toBe(1);
    expect(service.get(id)).toMatchObject({ status: 'PENDING', attempts: 0 });
    expect(agent.output).toContain('LOGON_FAILURE');
    expect(agent.output).not.toContain('wrong-password-55');
  });
});

describe('--check', () => {
  const check = async (changed: Readonly<Record<string, string>> = {}) => {
    const agent = startHere(changed, { check: true });
    return { code: await agent.ended, output: agent.output };
  };

  test('reports every part and changes nothing', async () => {
    service.add('a');
    const before = await stat(fileServer.projectFolder);
    // The only one in a process of its own, for its exit code and output.
    const agent = startAgent({}, ['--check']);
    const code = await agent.ended;
    const logon = String.raw`WORKGROUP\\folder-agent with NTLM`;
    expect(agent.output.replaceAll(/:\d+/g, ':N').split('\n')).toEqual([
      'ok       Service       http://127.0.0.1:N responds, version fake',
      'ok       Agent key     accepted by the service',
      expect.stringMatching(
        new RegExp(
          String.raw`^ok {7}File server {3}127.0.0.1:N, ${logon}, SMB 3.1.1, signed with .*, encrypted`,
        ),
      ),
      'ok       Template      \\\\127.0.0.1\\template',
      'ok       Names         all are copied',
      'ok       Root path     \\\\127.0.0.1\\projects',
      'ok       Permissions   WORKGROUP\\folder-agent has permission to add files and directories to \\\\127.0.0.1\\projects',
      'note     Allowed root  not set: UNC targets are accepted wherever WORKGROUP\\folder-agent has write permission. Set FOLDER_AGENT_ALLOWED_ROOTS',
      '',
    ]);
    expect(code).toBe(0);
    expect(service.count('claim')).toBe(0);
    const after = await stat(fileServer.projectFolder);
    expect([after.mtimeMs, after.ctimeMs]).toEqual([before.mtimeMs, before.ctimeMs]);
  });

  test('reports the rejected logon and skips what depends on it', async () => {
    const { code, output } = await check({ FOLDER_AGENT_SMB_PASSWORD: 'wrong-password-55' });
    expect(output).toMatch(/^FAILED {3}File server .*LOGON_FAILURE/m);
    expect(output).toMatch(/^skipped {2}Template {6}needs: File server$/m);
    expect(output).toMatch(/^skipped {2}Permissions {3}needs: Root path$/m);
    expect(output).not.toContain('wrong-password-55');
    expect(code).toBe(1);
  });

  test('checks every allowed root', async () => {
    const { code, output } = await check({
      FOLDER_AGENT_ALLOWED_ROOTS: `//${fileServer.host}/projects; //${fileServer.host}/projects/gone`,
    });
    expect(output).toMatch(/^ok {7}Allowed root {2}\\\\127\.0\.0\.1\\projects$/m);
    expect(output).toMatch(/^FAILED {3}Allowed root {2}.*\\projects\\gone: .*does not exist/m);
    expect(output).not.toContain('not set');
    expect(code).toBe(1);
  });

  test('reports missing permissions on the share, or on the root directory only', async () => {
    const limited = join(fileServer.projectFolder, '../limited');
    await mkdir(join(limited, 'Archiv'));
    // The account of the share may traverse the folder and add to the share's root, but not to the directory.
    await chmod(join(limited, '..'), 0o711);
    await chmod(limited, 0o777);
    await chmod(join(limited, 'Archiv'), 0o555);
    const allowed = await check({ FOLDER_AGENT_ROOT_PATH: `\\\\${fileServer.host}\\limited` });
    expect(allowed.output).toMatch(/^ok {7}Permissions/m);
    for (const root of ['readonly', 'limited\\Archiv']) {
      const { code, output } = await check({ FOLDER_AGENT_ROOT_PATH: `\\\\${fileServer.host}\\${root}` });
      expect(output).toMatch(/^FAILED {3}Permissions .*has no write permission/m);
      expect(code).toBe(1);
    }
  });

  test('reports every fault of the settings', async () => {
    const faults = {
      FOLDER_AGENT_API_KEY: '',
      FOLDER_AGENT_POLL_INTERVAL_MS: 'soon',
      FOLDER_AGENT_TEMPLATE_PATH: '\\\\elsewhere\\x',
    };
    const agent = startAgent(faults, ['--check']);
    expect(await agent.ended).toBe(1);
    for (const name of Object.keys(faults)) expect(agent.output).toContain(`${name}:`);
  });
});

describe('the command line', () => {
  test.each([
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
    [['--help'], 0, /--once[^]*--check[^]*Exit codes/],
    [['--onec'], 2, /Unknown option '--onec'/],
    [['--once', '--check'], 2, /only one option/],
    [['now'], 2, /Unexpected argument 'now'/],
  ])('%j exits with %i', async (args, code, output) => {
    const agent = startAgent({}, args);
    expect(await agent.ended).toBe(code);
    expect(agent.output).toMatch(output);
  });
});

describe('the output', () => {
  test.each(['json', 'pretty'])(
    'never contains the key or the password, in %s format with every step',
    async (format) => {
      const agent = startHere({ FOLDER_AGENT_DEBUG: 'true', FOLDER_AGENT_LOG_FORMAT: format });
      // A proxy's response that repeats the request, as some proxies do.
      service.misbehave(
        'claim',
        misbehaviors.json(400, { code: 'echo', detail: `x-api-key: ${service.key}` }),
      );
      await service.finished(service.add('a'));
      await service.finished(service.add('..'));
      agent.signal('SIGTERM');
      await agent.ended;
      expect(agent.output).toContain('x-api-key: ***');
      expect(agent.output).toContain('reported');
      for (const secret of [
        service.key,
        fileServer.account.password,
        JSON.stringify(fileServer.account.password).slice(1, -1),
      ]) {
        expect(agent.output).not.toContain(secret);
      }
    },
  );

  test('warns at every start about the insecure switch', async () => {
    const agent = startHere({ FOLDER_AGENT_ALLOW_INSECURE_TLS: 'true' }, { once: true });
    await agent.ended;
    expect(agent.lines.find(({ msg }) => msg.includes('FOLDER_AGENT_ALLOW_INSECURE_TLS'))?.level).toBe(
      'warn',
    );
  });

  test.each([
    [12, []],
    [13, [{ level: 'warn', names: 13, most: 12 }]],
  ])('says at its start what %i names of servers mean for claims', async (names, warnings) => {
    const aliases = Array.from({ length: names - 1 }, (_, at) => `name-${at}`).join(';');
    const agent = startHere({ FOLDER_AGENT_SMB_SERVER_ALIASES: aliases }, { once: true });
    await agent.ended;
    expect(agent.lines.filter(({ msg }) => msg.includes('many names of servers'))).toMatchObject(warnings);
  });
});
