import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAgentSettings } from '../../agent/settings.ts';
import { SettingsError } from '../../lib/contract/settings-table.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const env = {
  FOLDER_AGENT_API_BASE_URL: 'https://folders.example.com///',
  FOLDER_AGENT_API_KEY: 'secret-key',
  FOLDER_AGENT_SMB_SERVER: 'fs01',
  FOLDER_AGENT_SMB_USERNAME: 'svc',
  FOLDER_AGENT_SMB_PASSWORD: 'secret password',
  FOLDER_AGENT_TEMPLATE_PATH: '\\\\fs01\\Vorlagen\\Projekt',
};

const faults = (changed: Record<string, string | undefined>): readonly string[] => {
  try {
    readAgentSettings({ ...env, ...changed }, 'host');
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
};

describe('the settings', () => {
  test('have the defaults of the specification', () => {
    expect(readAgentSettings(env, 'machine-7')).toMatchObject({
      agentId: 'machine-7',
      pollIntervalMs: 3000,
      maxBackoffMs: 30_000,
      service: {
        baseUrl: 'https://folders.example.com',
        requestTimeoutMs: 15_000,
        caBundle: undefined,
        allowInsecureTls: false,
      },
      fileServer: {
        server: 'fs01',
        aliases: [],
        port: 445,
        domain: '',
        encryption: 'preferred',
        minimumDialect: '3.0',
      },
      template: { server: 'fs01', share: 'Vorlagen', path: 'Projekt' },
      root: undefined,
      allowedRoots: undefined,
      debug: false,
    });
  });

  test('take the base URL with or without the path of the API', () => {
    for (const url of [
      'https://gateway.example.com/folders',
      'https://gateway.example.com/folders/api/v1/',
    ]) {
      const { service } = readAgentSettings({ ...env, FOLDER_AGENT_API_BASE_URL: url }, 'host');
      expect(service.baseUrl).toBe('https://gateway.example.com/folders');
    }
  });

  test('take key and password from files, without the line break at the end', () => {
    const key = join(folder, 'key');
    const password = join(folder, 'password');
    writeFileSync(key, 'key-from-file\n');
    writeFileSync(password, ' pass word \r\n');
    const { service, fileServer } = readAgentSettings(
      {
        ...env,
        FOLDER_AGENT_API_KEY: '',
        FOLDER_AGENT_API_KEY_FILE: key,
        FOLDER_AGENT_SMB_PASSWORD: undefined,
        FOLDER_AGENT_SMB_PASSWORD_FILE: password,
      },
      'host',
    );
    expect([service.key.reveal(), fileServer.password.reveal()]).toEqual(['key-from-file', ' pass word ']);
  });

  test('keep the white space around the password, and drop it around everything else', () => {
    const padded = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, ` ${value} `]));
    const { service, fileServer } = readAgentSettings(padded, 'host');
    expect(fileServer).toMatchObject({ server: 'fs01', username: 'svc' });
    expect([service.key.reveal(), fileServer.password.reveal()]).toEqual(['secret-key', ' secret password ']);
  });

  test('take short and full names and aliases of the server in one spelling', () => {
    const settings = readAgentSettings(
      {
        ...env,
        FOLDER_AGENT_SMB_SERVER: 'fs01.firma.example',
        FOLDER_AGENT_SMB_SERVER_ALIASES: 'ablage; dateien.firma.example',
        FOLDER_AGENT_TEMPLATE_PATH: '\\\\FS01\\Vorlagen',
        FOLDER_AGENT_ROOT_PATH: '//Ablage/Projekte',
        FOLDER_AGENT_ALLOWED_ROOTS: '//dateien/Archiv/a b ; \\\\fs01.firma.example\\Projekte\\2026;',
      },
      'host',
    );
    const server = 'fs01.firma.example';
    expect(settings).toMatchObject({
      fileServer: { server, aliases: ['ablage', 'dateien.firma.example'] },
      template: { server, share: 'Vorlagen', path: '' },
      root: { server, share: 'Projekte', path: '' },
      allowedRoots: [
        { server, share: 'Archiv', path: 'a b' },
        { server, share: 'Projekte', path: '2026' },
      ],
    });
  });

  test.each([
    [{ FOLDER_AGENT_SMB_USERNAME: 'FIRMA\\svc' }, { domain: 'FIRMA', username: 'svc' }],
    [
      { FOLDER_AGENT_SMB_USERNAME: 'firma\\svc', FOLDER_AGENT_SMB_DOMAIN: 'FIRMA' },
      { domain: 'firma', username: 'svc' },
    ],
    [{ FOLDER_AGENT_SMB_USERNAME: '.\\svc' }, { domain: '', username: 'svc' }],
    [
      { FOLDER_AGENT_SMB_USERNAME: 'svc@firma.example', FOLDER_AGENT_SMB_DOMAIN: 'FIRMA' },
      { domain: 'FIRMA', username: 'svc@firma.example' },
    ],
  ])('split the account %j', (changed, account) => {
    expect(readAgentSettings({ ...env, ...changed }, 'host').fileServer).toMatchObject(account);
  });

  test('never print a secret', () => {
    const settings = readAgentSettings(env, 'host');
    const printed = `${inspect(settings, { depth: 9 })}${JSON.stringify(settings)}${String(settings.service.key)}`;
    expect(printed).not.toMatch(/secret/);
    expect(printed).toContain('***');
  });
});

describe('faults', () => {
  test('are all named at once, by variable and not by value', () => {
    const named = faults({
      FOLDER_AGENT_API_BASE_URL: 'http://folders.example.com/?code=abc',
      FOLDER_AGENT_API_KEY: 'key with spaces',
      FOLDER_AGENT_SMB_USERNAME: undefined,
      FOLDER_AGENT_SMB_PORT: '70000',
      FOLDER_AGENT_TEMPLATE_PATH: '\\\\fs02\\Vorlagen',
      FOLDER_AGENT_ROOT_PATH: 'C:\\Projekte',
      FOLDER_AGENT_CA_BUNDLE_PATH: '/does/not/exist.pem',
      FOLDER_AGENT_SMB_PASSWORD_FILE: '/also/not/there',
      FOLDER_AGENT_ALLOW_INSECURE_TLS: 'yes',
    });
    const variables = named.map((fault) => fault.slice('FOLDER_AGENT_'.length, fault.indexOf(':')));
    expect([...new Set(variables)].sort()).toEqual([
      'ALLOW_INSECURE_TLS',
      'API_BASE_URL',
      'API_KEY',
      'CA_BUNDLE_PATH',
      'ROOT_PATH',
      'SMB_PASSWORD_FILE',
      'SMB_PORT',
      'SMB_USERNAME',
      'TEMPLATE_PATH',
    ]);
    expect(named.filter((fault) => fault.startsWith('FOLDER_AGENT_API_BASE_URL'))).toHaveLength(2);
    expect(named.join()).not.toMatch(/key with|70000|C:|fs02|abc|not.there/);
  });

  test.each([
    [{ FOLDER_AGENT_API_BASE_URL: 'http://folders.example.com' }, 'must start with https://'],
    [{ FOLDER_AGENT_API_BASE_URL: 'https://user:pw@folders.example.com' }, 'must not contain credentials'],
    [{ FOLDER_AGENT_TEMPLATE_PATH: '\\\\fs02\\x' }, 'FOLDER_AGENT_TEMPLATE_PATH: is on another server'],
    [
      { FOLDER_AGENT_ALLOWED_ROOTS: '\\\\fs01\\x;\\\\fs02\\x' },
      'FOLDER_AGENT_ALLOWED_ROOTS: is on another server',
    ],
    [
      { FOLDER_AGENT_ALLOWED_ROOTS: '\\\\fs01\\x;D:\\x' },
      'FOLDER_AGENT_ALLOWED_ROOTS: starts with the drive letter',
    ],
    [{ FOLDER_AGENT_ALLOWED_ROOTS: ' ; ' }, 'FOLDER_AGENT_ALLOWED_ROOTS: names nothing'],
    [{ FOLDER_AGENT_SMB_USERNAME: 'FIRMA\\' }, 'expected a name, or DOMAIN\\name'],
    [{ FOLDER_AGENT_SMB_USERNAME: '\\FIRMA\\svc' }, 'expected a name, or DOMAIN\\name'],
    [
      { FOLDER_AGENT_SMB_USERNAME: 'FIRMA\\svc', FOLDER_AGENT_SMB_DOMAIN: 'WERK' },
      'names another domain than FOLDER_AGENT_SMB_DOMAIN',
    ],
    [{ FOLDER_AGENT_TEMPLATE_PATH: '\\\\fs01\\C$\\x' }, 'administrative share'],
    [{ FOLDER_AGENT_API_KEY: '@Microsoft.KeyVault(SecretUri=x)' }, 'unresolved Key Vault reference'],
    [{ FOLDER_AGENT_CA_BUNDLE_PATH: 'ca.pem' }, 'absolute path'],
  ])('%j', (changed, fault) => {
    expect(faults(changed).join('\n')).toContain(fault);
  });

  test('http is accepted on this machine', () => {
    for (const host of ['localhost:7071', '127.0.0.1:80', '[::1]:7071']) {
      expect(faults({ FOLDER_AGENT_API_BASE_URL: `http://${host}` })).toEqual([]);
    }
  });

  test('a CA bundle must hold certificates that can be read', () => {
    const bundle = join(folder, 'ca.pem');
    writeFileSync(bundle, 'nothing');
    expect(faults({ FOLDER_AGENT_CA_BUNDLE_PATH: bundle }).join()).toContain('no certificate in PEM form');
    writeFileSync(bundle, '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n');
    expect(faults({ FOLDER_AGENT_CA_BUNDLE_PATH: bundle }).join()).toContain('certificate 1 of the file');
  });
});
