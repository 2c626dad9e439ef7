import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { AgentOptions } from '../../agent/run-agent.ts';
import type { Samba } from '../../agent/smb/tests/samba/samba.ts';
import { startSamba } from '../../agent/smb/tests/support/samba.ts';
import { AgentHere, agentEnv } from '../support/agent-process.ts';
import { FakeFolderService } from '../support/fake-folder-service.ts';
import { MitRealm } from '../../agent/smb/tests/support/realm/mit-realm.ts';
import { startKerberosSamba } from '../../agent/smb/tests/support/realm/kerberos-samba.ts';
import { makeTree, treeOf } from '../support/share-trees.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const { describe, test } = requires('samba', 'MIT Kerberos');

// The agent without NTLM: a realm of MIT's KDC, and an smbd that accepts only tickets.

const password = 'Geheim-4711';
let realm: MitRealm;
let samba: Samba;
let keytab: string;
let service: FakeFolderService;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  realm = await MitRealm.start({
    accounts: [
      `addprinc -pw ${password} alice`,
      'addprinc -randkey agent',
      'addprinc -randkey cifs/localhost',
    ],
  });
  keytab = await realm.keytab('agent');
  samba = await startKerberosSamba(realm, 'localhost', ['agent', 'alice']);
  makeTree(samba.templateFolder, { 'Pläne/Grundriß.txt': 'Grundriß', 'Übersicht.txt': 'Ü' });
});
afterAll(async () => {
  await samba?.stop();
  await realm?.stop();
});
beforeEach(async () => {
  service = await FakeFolderService.start();
  cleanups.push(() => service.stop());
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A name that resolves to the server and is registered in the realm. */
const server = () => ({ host: 'localhost', port: samba.port, account: samba.account });

function startAgent(changed: Readonly<Record<string, string>>, options: AgentOptions = {}): AgentHere {
  const env = {
    ...agentEnv(service, server()),
    FOLDER_AGENT_SMB_DOMAIN: '',
    FOLDER_AGENT_SMB_REALM: realm.realm,
    FOLDER_AGENT_KDC: `127.0.0.1:${realm.port}`,
    ...changed,
  };
  const agent = new AgentHere(env, options);
  cleanups.push(() => agent.stop());
  return agent;
}

const withKeytab = () => ({
  FOLDER_AGENT_SMB_USERNAME: 'agent',
  FOLDER_AGENT_SMB_PASSWORD: '',
  FOLDER_AGENT_SMB_KEYTAB_FILE: keytab,
});
const withPassword = { FOLDER_AGENT_SMB_USERNAME: 'alice', FOLDER_AGENT_SMB_PASSWORD: password };

describe.each([
  ['a keytab', withKeytab],
  ['a password', () => withPassword],
])('with %s', (_, account) => {
  test('a request is fulfilled', async () => {
    const agent = startAgent({ ...account(), FOLDER_AGENT_SMB_ENCRYPTION: 'required' });
    const name = `Kunde ${service.key}`;
    const request = await service.finished(service.add(name));
    expect(request.status).toBe('FULFILLED');
    expect(treeOf(join(samba.projectFolder, name))).toEqual(treeOf(samba.templateFolder));
    expect(agent.lines.find(({ msg }) => msg === 'connected to the file server')).toMatchObject({
      mechanism: 'Kerberos',
    });
    expect(agent.output).not.toContain(password);
  });

  test('--check prints the realm, KDC, encryption type, ticket expiry, and clock difference', async () => {
    const agent = startAgent(account(), { check: true });
    expect(await agent.ended, agent.output).toBe(0);
    const kdc = `127.0.0.1:${realm.port}`;
    const line = agent.output.split('\n').find((text) => text.includes('Kerberos  '));
    expect(line).toMatch(
      new RegExp(
        `^ok +Kerberos +FIRMA\\.TEST by ${kdc} \\(FOLDER_AGENT_KDC\\), ticket with aes256-cts-hmac-sha1-96 until \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ, the clocks agree$`,
      ),
    );
    expect(agent.output).toMatch(
      /ok +File server +localhost:\d+, \w+@FIRMA\.TEST with Kerberos, SMB 3\.1\.1/,
    );
  });
});

/** The number of logons that the KDC rejected, from its own log. */
async function rejectedLogons(account: string): Promise<number> {
  const log = await readFile(join(realm.folder, 'kdc.log'), 'utf8');
  return log.split('\n').filter((line) => line.includes('PREAUTH_FAILED') && line.includes(`${account}@`))
    .length;
}

test('a wrong password is tried once; nothing is claimed', async () => {
  const before = await rejectedLogons('alice');
  const agent = startAgent({ ...withPassword, FOLDER_AGENT_SMB_PASSWORD: 'falsch-falsch' });
  const id = service.add('never');
  await agent.says('rejects the logon of alice@FIRMA.TEST');
  expect(agent.output).toContain('KDC_ERR_PREAUTH_FAILED');
  expect(agent.output).not.toContain('falsch');
  expect(await rejectedLogons('alice')).toBe(before + 1);
  expect(service.get(id).status).toBe('PENDING');
});

test('--check sends a wrong password once, reports it, and skips the checks that depend on it', async () => {
  const before = await rejectedLogons('alice');
  const agent = startAgent({ ...withPassword, FOLDER_AGENT_SMB_PASSWORD: 'falsch-falsch' }, { check: true });
  expect(await agent.ended).toBe(1);
  expect(agent.output).toMatch(
    /FAILED +Kerberos +alice@FIRMA\.TEST: the password is wrong, or the keytab is older/,
  );
  expect(agent.output).toMatch(/skipped +File server +needs: Kerberos/);
  expect(await rejectedLogons('alice')).toBe(before + 1);
});

test('when the realm has no service for the server, the log names the service, and nothing is claimed', async () => {
  const agent = startAgent({
    ...withKeytab(),
    FOLDER_AGENT_SMB_SERVER: '127.0.0.1',
    FOLDER_AGENT_TEMPLATE_PATH: '\\\\127.0.0.1\\template',
    FOLDER_AGENT_ROOT_PATH: '\\\\127.0.0.1\\projects',
  });
  const id = service.add('never');
  await agent.says('does not complete the logon of agent@FIRMA.TEST');
  expect(agent.output).toContain('cifs/127.0.0.1@FIRMA.TEST: the realm has no such service');
  expect(service.get(id).status).toBe('PENDING');
});

test('FOLDER_AGENT_SMB_SPN_HOST makes the same server usable', async () => {
  const agent = startAgent(
    {
      ...withKeytab(),
      FOLDER_AGENT_SMB_SPN_HOST: 'localhost',
      FOLDER_AGENT_SMB_SERVER: '127.0.0.1',
      FOLDER_AGENT_TEMPLATE_PATH: '\\\\127.0.0.1\\template',
      FOLDER_AGENT_ROOT_PATH: '\\\\127.0.0.1\\projects',
    },
    { check: true },
  );
  expect(await agent.ended, agent.output).toBe(0);
});

test('without a KDC, nothing is claimed, and the agent recovers without intervention', async () => {
  await realm.suspend();
  const agent = startAgent(withKeytab());
  const id = service.add(`later ${service.key}`);
  await agent.says('does not complete the logon of agent@FIRMA.TEST');
  expect(service.get(id).status).toBe('PENDING');
  await realm.resume();
  expect((await service.finished(id)).status).toBe('FULFILLED');
});

test('negotiate warns each time it uses NTLM instead of Kerberos', async () => {
  const workgroup = await startSamba();
  cleanups.push(() => workgroup.stop());
  const agent = new AgentHere({
    ...agentEnv(service, workgroup),
    FOLDER_AGENT_SMB_AUTH: 'negotiate',
    FOLDER_AGENT_SMB_REALM: realm.realm,
    FOLDER_AGENT_KDC: `127.0.0.1:${realm.port}`,
  });
  cleanups.push(() => agent.stop());
  expect((await service.finished(service.add('by NTLM'))).status).toBe('FULFILLED');
  const warning = agent.lines.find(({ level }) => level === 'warn');
  expect(warning).toMatchObject({
    server: '127.0.0.1',
    msg: 'Kerberos cannot be used; using NTLM instead',
  });
});
