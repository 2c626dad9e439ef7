import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Samba } from '../../agent/smb/tests/samba/samba.ts';
import { AgentHere, AgentProcess, agentEnv } from '../support/agent-process.ts';
import { type ClosedPort, closedPort } from '../../agent/smb/tests/support/closed-port.ts';
import { FakeFolderService } from '../support/fake-folder-service.ts';
import { type HttpsServer, httpsServer } from '../support/https-answers.ts';
import { startSamba } from '../../agent/smb/tests/support/samba.ts';
import { ScriptedKdc } from '../../agent/smb/tests/support/scripted-realm/kdc.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const { test } = requires('samba');

// What an operator reads about a configuration that the servers contradict: each message names the setting and what to do.
// Settings that contradict themselves: settings.test.ts.

let samba: Samba;
let old: Samba;
let service: FakeFolderService;
let https: HttpsServer;
let dead: ClosedPort;
/** Accepts connections and says nothing, as an HTTP proxy to which a client speaks TLS. */
let silent: { readonly port: number; readonly close: () => void };
let kdc: ScriptedKdc;
/** Folder of keytabs. */
let folder: string;
beforeAll(async () => {
  [samba, old, service, https, dead, kdc, folder] = await Promise.all([
    startSamba({ globalLines: ['server smb encrypt = off'] }),
    startSamba({ globalLines: ['server max protocol = SMB2_10', 'server smb encrypt = required'] }),
    FakeFolderService.start(),
    httpsServer(),
    closedPort(),
    ScriptedKdc.start(),
    mkdtemp(join(tmpdir(), 'keytabs-')),
  ]);
  // Of agent@FIRMA.TEST, with a key from before the last change of its password; and a format that Kerberos no longer writes.
  const key = `00000001000000000300120020${'4b'.repeat(32)}`;
  const keytab = Buffer.from(`0502000000420001000a${hex('FIRMA.TEST')}0005${hex('agent')}${key}`, 'hex');
  await writeFile(join(folder, 'old-key'), keytab, { mode: 0o600 });
  await writeFile(join(folder, 'old-format'), keytab.fill(1, 1, 2), { mode: 0o600 });
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  silent = { port: (server.address() as AddressInfo).port, close: () => server.close() };
  await writeFile(join(samba.templateFolder, 'Vorlage.docx'), 'a file');
});
afterAll(async () => {
  https.close();
  silent.close();
  await Promise.all([samba.stop(), old.stop(), service.stop(), dead.release(), kdc.stop()]);
});

/** Settings without their prefix. */
type Changes = Readonly<Record<string, string>>;

const hex = (text: string) => Buffer.from(text).toString('hex');
const share = (name: string) => `\\\\${samba.host}\\${name}`;

/** A line of the check that fails, with these parts one after the other. */
const failed = (...parts: RegExp[]): RegExp =>
  new RegExp(`^FAILED .*${parts.map(({ source }) => source).join('')}`, 'm');
const withoutTls = /write http:.. instead of https:.. in FOLDER_AGENT_PROXY_URL, such as http:/;

const cases: [string, () => Changes, RegExp][] = [
  [
    'a key with the id of its agent',
    () => ({ API_KEY: `site-a:${service.key}` }),
    /^FAILED .*Agent key .*The key must be only the secret of a pair .*: k7Yw… of site-a:k7Yw…/m,
  ],
  [
    'https for a proxy that speaks HTTP',
    () => ({ API_BASE_URL: 'https://folders.invalid', PROXY_URL: `https://127.0.0.1:${silent.port}` }),
    failed(/Service .*the proxy https:.* does not respond with TLS\. .*/, withoutTls),
  ],
  [
    'https for a proxy that responds in HTTP',
    () => ({
      API_BASE_URL: 'https://folders.invalid',
      PROXY_URL: `https://127.0.0.1:${new URL(service.url).port}`,
    }),
    failed(/Service .*the proxy https:.* does not respond with TLS\. .*/, withoutTls),
  ],
  [
    'a key that is unknown',
    () => ({ API_KEY: 'other-4711' }),
    /^FAILED .*Agent key .*the service rejects it \(401 \w+\)\. The key must be only the secret/m,
  ],
  [
    'a wrong port of the service',
    () => ({ API_BASE_URL: `http://127.0.0.1:${dead.port}` }),
    /^FAILED .*Service .*ECONNREFUSED.*Check FOLDER_AGENT_API_BASE_URL/m,
  ],
  [
    'a wrong host of the service',
    () => ({ API_BASE_URL: 'https://folders.invalid' }),
    /^FAILED .*Service .*(?:ENOTFOUND|EAI_AGAIN).*Check FOLDER_AGENT_API_BASE_URL/m,
  ],
  [
    'https to a port without TLS',
    () => ({ API_BASE_URL: `https://127.0.0.1:${new URL(service.url).port}` }),
    /^FAILED .*Service .*Check FOLDER_AGENT_API_BASE_URL/m,
  ],
  [
    'an unknown authority',
    () => ({ API_BASE_URL: `https://${https.host}` }),
    failed(
      /Service +the certificate is from an authority that this machine does not know \(\w+\)\. /,
      /Set FOLDER_AGENT_CA_BUNDLE_PATH to a PEM file with this authority, such as/,
    ),
  ],
  [
    'a dead proxy',
    () => ({ API_BASE_URL: 'https://folders.invalid', PROXY_URL: `http://127.0.0.1:${dead.port}` }),
    /^FAILED .*Service .*the proxy http:.* cannot be reached: .*Correct FOLDER_AGENT_PROXY_URL/m,
  ],
  [
    'a wrong port of the file server',
    () => ({ SMB_PORT: String(dead.port) }),
    /^FAILED .*File server .*ECONNREFUSED.*FOLDER_AGENT_SMB_PORT/m,
  ],
  [
    'a wrong password',
    () => ({ SMB_PASSWORD: 'falsch-4711' }),
    /^FAILED .*File server .*password or keytab \(FOLDER_AGENT_SMB_/m,
  ],
  [
    'a server without encryption',
    () => ({ SMB_ENCRYPTION: 'required' }),
    /^FAILED .*File server .*set FOLDER_AGENT_SMB_ENCRYPTION to preferred/m,
  ],
  [
    'a server with an old dialect',
    () => ({ SMB_PORT: String(old.port) }),
    failed(
      /File server .*If it has only 2\.1, .*set FOLDER_AGENT_SMB_MIN_DIALECT=2\.1\. /,
      /The agent does not support SMB 2\.0\.2/,
    ),
  ],
  [
    'a server that requires the encryption that its dialect lacks',
    () => ({ SMB_PORT: String(old.port), SMB_MIN_DIALECT: '2.1' }),
    failed(
      /File server .*ACCESS_DENIED.* It does not say that the password is wrong\. .*/,
      /whether it requires encryption, which needs FOLDER_AGENT_SMB_MIN_DIALECT=3\.0/,
    ),
  ],
  [
    'dead domain controllers',
    () => ({ SMB_REALM: 'FIRMA.TEST', KDC: `127.0.0.1:${dead.port}` }),
    /^FAILED .*Kerberos .*list its domain controllers in FOLDER_AGENT_KDC/m,
  ],
  [
    'a keytab from before the last change of the password',
    () => ({
      SMB_REALM: 'FIRMA.TEST',
      KDC: `127.0.0.1:${kdc.kdcs['FIRMA.TEST']![0]!.port}`,
      SMB_USERNAME: 'agent',
      SMB_PASSWORD: '',
      SMB_KEYTAB_FILE: join(folder, 'old-key'),
    }),
    failed(
      /Kerberos .*older than the last change of the password; /,
      /create it again .*\(FOLDER_AGENT_SMB_/,
    ),
  ],
  [
    'a missing template',
    () => ({ TEMPLATE_PATH: share('template\\fehlt') }),
    /^FAILED .*Template .*Check FOLDER_AGENT_TEMPLATE_PATH/m,
  ],
  [
    'a template that is a file',
    () => ({ TEMPLATE_PATH: share('template\\Vorlage.docx') }),
    /^FAILED .*Template .*It is a file\. Set FOLDER_AGENT_TEMPLATE_PATH to a directory/m,
  ],
  [
    'a missing root',
    () => ({ ROOT_PATH: share('projects\\fehlt') }),
    /^FAILED .*Root path .*does not exist.*FOLDER_AGENT_ROOT_PATH/m,
  ],
];

test.each(cases)('%s', async (_, changes, expected) => {
  const changed = Object.fromEntries(
    Object.entries(changes()).map(([name, value]) => [`FOLDER_AGENT_${name}`, value]),
  );
  const agent = new AgentHere(agentEnv(service, samba, changed), { check: true });
  expect(await agent.ended).toBe(1);
  expect(agent.output).toMatch(expected);
  // The sentence of the guide: every line that starts with FAILED says what to do.
  const lines = agent.output.split('\n');
  for (const line of lines.filter((line) => line.startsWith('FAILED')))
    expect(line).toContain('FOLDER_AGENT_');
  expect(agent.output).not.toMatch(/4711|See the log|use-system-ca|x-api-key/);
});

test('an authority that the system trusts is trusted, without a bundle', async () => {
  https.responses = [{ status: 200, body: JSON.stringify({ status: 'ok', version: '1.0.0' }) }];
  const changed = { FOLDER_AGENT_API_BASE_URL: `https://${https.host}` };
  // Where Node reads the system's authorities on Linux.
  const env = { ...agentEnv(service, samba, changed), SSL_CERT_FILE: https.certificatePath };
  const agent = new AgentProcess(env, ['--check']);
  await agent.ended;
  expect(agent.output).toMatch(/^ok +Service /m);
});

test('with negotiate, dead domain controllers are a note, because NTLM may suffice', async () => {
  const changed = {
    FOLDER_AGENT_SMB_AUTH: 'negotiate',
    FOLDER_AGENT_SMB_REALM: 'FIRMA.TEST',
    FOLDER_AGENT_KDC: `127.0.0.1:${dead.port}`,
  };
  const agent = new AgentHere(agentEnv(service, samba, changed), { check: true });
  expect(await agent.ended, agent.output).toBe(0);
  expect(agent.output).toMatch(/^note +Kerberos .*FOLDER_AGENT_KDC/m);
  expect(agent.output).toMatch(/^ok +File server .* with NTLM/m);
});
