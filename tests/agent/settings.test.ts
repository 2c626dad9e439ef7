import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
        account: { domain: '', mechanism: 'ntlm', realm: undefined },
        encryption: 'preferred',
        minimumDialect: '3.0',
      },
      template: { server: 'fs01', share: 'Vorlagen', segments: ['Projekt'] },
      root: undefined,
      allowedRoots: undefined,
      debug: false,
    });
  });

  test('accept the base URL with or without the path of the API', () => {
    for (const url of [
      'https://gateway.example.com/folders',
      'https://gateway.example.com/folders/api/v1/',
    ]) {
      const { service } = readAgentSettings({ ...env, FOLDER_AGENT_API_BASE_URL: url }, 'host');
      expect(service.baseUrl).toBe('https://gateway.example.com/folders');
    }
  });

  test('read key and password from files, without the line break at the end', () => {
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
    expect([service.key.reveal(), fileServer.account.password.reveal()]).toEqual([
      'key-from-file',
      ' pass word ',
    ]);
  });

  test('keep the white space around the password and remove it around everything else', () => {
    const padded = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, ` ${value} `]));
    const { service, fileServer } = readAgentSettings(padded, 'host');
    expect(fileServer).toMatchObject({ server: 'fs01', account: { username: 'svc' } });
    expect([service.key.reveal(), fileServer.account.password.reveal()]).toEqual([
      'secret-key',
      ' secret password ',
    ]);
  });

  test('normalize short names, full names, and aliases of the server to one spelling', () => {
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
      template: { server, share: 'Vorlagen', segments: [] },
      root: { server, share: 'Projekte', segments: [] },
      allowedRoots: [
        { server, share: 'Archiv', segments: ['a b'] },
        { server, share: 'Projekte', segments: ['2026'] },
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
    expect(readAgentSettings({ ...env, ...changed }, 'host').fileServer).toMatchObject({ account });
  });

  test('never print a secret', () => {
    const settings = readAgentSettings(env, 'host');
    const printed = `${inspect(settings, { depth: 9 })}${JSON.stringify(settings)}${String(settings.service.key)}`;
    expect(printed).not.toMatch(/secret/);
    expect(printed).toContain('***');
  });
});

test.each([',', ';', ', '])('names of hosts are separated by "%s"', (separator) => {
  const { fileServer } = readAgentSettings(
    {
      ...env,
      FOLDER_AGENT_SMB_SERVER_ALIASES: ['ablage', 'dateien.firma.example'].join(separator),
      FOLDER_AGENT_DFS_SERVERS: ['fs1.firma.local', '*.werk.local'].join(separator),
    },
    'host',
  );
  expect(fileServer.aliases).toEqual(['ablage', 'dateien.firma.example']);
  expect(fileServer.dfs?.servers).toEqual(['fs1.firma.local', '*.werk.local']);
});

describe('faults', () => {
  test('of more names than a claim can carry', () => {
    const aliases = Array.from({ length: 50 }, (_, index) => `name-${index}`).join(';');
    expect(faults({ FOLDER_AGENT_SMB_SERVER_ALIASES: aliases })).toEqual([
      expect.stringContaining('FOLDER_AGENT_SMB_SERVER_ALIASES: more than 50 names'),
    ]);
  });

  test.each(Object.keys(env))('%s is required', (name) => {
    expect(faults({ [name]: undefined }).join('\n')).toContain(name);
  });

  test('are all reported together, by variable and not by value', () => {
    const named = faults({
      FOLDER_AGENT_API_BASE_URL: 'http://folders.example.com/?code=abc',
      FOLDER_AGENT_API_KEY: 'key with spaces',
      FOLDER_AGENT_SMB_USERNAME: undefined,
      FOLDER_AGENT_SMB_PORT: '65536',
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
    [{ FOLDER_AGENT_TEMPLATE_PATH: '\\\\fs02\\x' }, 'FOLDER_AGENT_TEMPLATE_PATH: is on a server other than'],
    [
      { FOLDER_AGENT_ALLOWED_ROOTS: '\\\\fs01\\x;\\\\fs02\\x' },
      'FOLDER_AGENT_ALLOWED_ROOTS: entry 2 of 2 is on a server other than',
    ],
    [
      { FOLDER_AGENT_ALLOWED_ROOTS: '\\\\fs01\\x;D:\\x' },
      'FOLDER_AGENT_ALLOWED_ROOTS: entry 2 of 2: starts with the drive letter',
    ],
    [{ FOLDER_AGENT_ALLOWED_ROOTS: ' ; ' }, 'FOLDER_AGENT_ALLOWED_ROOTS: is an empty list'],
    [{ FOLDER_AGENT_SMB_USERNAME: 'FIRMA\\' }, 'expected a name, or DOMAIN\\name'],
    [{ FOLDER_AGENT_SMB_USERNAME: '\\FIRMA\\svc' }, 'expected a name, or DOMAIN\\name'],
    [
      { FOLDER_AGENT_SMB_USERNAME: 'FIRMA\\svc', FOLDER_AGENT_SMB_DOMAIN: 'WERK' },
      'the domain differs from FOLDER_AGENT_SMB_DOMAIN',
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

  test('a CA bundle must contain readable certificates', () => {
    const bundle = join(folder, 'ca.pem');
    writeFileSync(bundle, 'nothing');
    expect(faults({ FOLDER_AGENT_CA_BUNDLE_PATH: bundle }).join()).toContain('no certificate in PEM form');
    writeFileSync(bundle, '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n');
    expect(faults({ FOLDER_AGENT_CA_BUNDLE_PATH: bundle }).join()).toContain('certificate 1 of the file');
  });
});

describe('the account', () => {
  const account = (changed: Record<string, string | undefined>) =>
    readAgentSettings({ ...env, ...changed }, 'host').fileServer.account;
  const names = (changed: Record<string, string | undefined>) =>
    faults(changed).map((fault) => fault.slice('FOLDER_AGENT_'.length, fault.indexOf(':')));

  /** One AES key of `svc` in FIRMA.LOCAL. */
  const keytab = (principal = 'svc') => {
    const name = Buffer.from(principal);
    const head = Buffer.concat([
      Buffer.from('0001000b4649524d412e4c4f43414c00', 'hex'),
      Buffer.from([name.length]),
      name,
    ]);
    const record = Buffer.concat([
      head,
      Buffer.from('00000001000000000100120020', 'hex'),
      Buffer.alloc(32, 'secret'),
    ]);
    const length = Buffer.alloc(4);
    length.writeInt32BE(record.length);
    return Buffer.concat([Buffer.from([5, 2]), length, record]);
  };
  const keytabFile = (contents: Buffer | string = keytab(), mode = 0o600) => {
    const path = join(folder, `${Math.random()}.keytab`);
    writeFileSync(path, contents);
    chmodSync(path, mode);
    return path;
  };
  const withKeytab = (path: string, changed: Record<string, string | undefined> = {}) => ({
    FOLDER_AGENT_SMB_PASSWORD: undefined,
    FOLDER_AGENT_SMB_KEYTAB_FILE: path,
    FOLDER_AGENT_SMB_REALM: 'firma.local',
    ...changed,
  });

  test('uses Kerberos if a realm or a keytab is set', () => {
    expect(account({ FOLDER_AGENT_SMB_REALM: 'firma.local' })).toMatchObject({
      mechanism: 'kerberos',
      realm: 'FIRMA.LOCAL',
      kdcs: {},
    });
    const read = account(
      withKeytab(keytabFile(), { FOLDER_AGENT_SMB_REALM: undefined, FOLDER_AGENT_SMB_DOMAIN: 'firma.local' }),
    );
    expect(read).toMatchObject({ mechanism: 'kerberos', realm: 'FIRMA.LOCAL', domain: 'firma.local' });
    expect(read.keytab?.reveal()).toHaveLength(1);
  });

  test('derives the realm from the user name or the domain if Kerberos is selected', () => {
    const kerberos = { FOLDER_AGENT_SMB_AUTH: 'kerberos' };
    expect(account({ ...kerberos, FOLDER_AGENT_SMB_USERNAME: 'svc@firma.local' }).realm).toBe('FIRMA.LOCAL');
    expect(account({ ...kerberos, FOLDER_AGENT_SMB_DOMAIN: 'firma.local' }).realm).toBe('FIRMA.LOCAL');
    expect(names({ ...kerberos, FOLDER_AGENT_SMB_DOMAIN: 'FIRMA' })).toEqual(['SMB_REALM']);
    // For NTLM, a user principal name is sufficient.
    expect(account({ FOLDER_AGENT_SMB_USERNAME: 'svc@firma.local' }).mechanism).toBe('ntlm');
  });

  test.each([',', ';', ' ; '])('has the KDCs in the configured order, separated by "%s"', (separator) => {
    const { kdcs, site } = account({
      FOLDER_AGENT_SMB_REALM: 'FIRMA.LOCAL',
      FOLDER_AGENT_AD_SITE: 'Berlin',
      FOLDER_AGENT_KDC: ['dc1.firma.local', 'werk.local=dc9', 'dc2:10088', ''].join(separator),
    });
    expect(kdcs).toEqual({
      '': [
        { host: 'dc1.firma.local', port: 88 },
        { host: 'dc2', port: 10_088 },
      ],
      'WERK.LOCAL': [{ host: 'dc9', port: 88 }],
    });
    expect(site).toBe('Berlin');
  });

  test('never prints a key', () => {
    const settings = readAgentSettings({ ...env, ...withKeytab(keytabFile()) }, 'host');
    const printed = `${inspect(settings, { depth: 12 })}${JSON.stringify(settings)}`;
    expect(printed).not.toMatch(/secretsecret|73656372|115, ?101, ?99/);
  });

  test.each<[string, () => Record<string, string | undefined>, string[], string]>([
    [
      'a password as well',
      () => withKeytab(keytabFile(), { FOLDER_AGENT_SMB_PASSWORD: 'x' }),
      ['SMB_KEYTAB_FILE'],
      'set only one of them',
    ],
    ['a missing file', () => withKeytab('/not/there.keytab'), ['SMB_KEYTAB_FILE'], 'ENOENT'],
    ['a file that is not a keytab', () => withKeytab(keytabFile('password')), ['SMB_KEYTAB_FILE'], '0x0502'],
    [
      'a key of another account',
      () => withKeytab(keytabFile(keytab('other'))),
      ['SMB_KEYTAB_FILE'],
      'only of other@FIRMA.LOCAL',
    ],
    [
      'NTLM',
      () => withKeytab(keytabFile(), { FOLDER_AGENT_SMB_AUTH: 'ntlm' }),
      ['SMB_REALM', 'SMB_KEYTAB_FILE'],
      'has no effect with NTLM',
    ],
    [
      'negotiate',
      () => withKeytab(keytabFile(), { FOLDER_AGENT_SMB_AUTH: 'negotiate' }),
      ['SMB_KEYTAB_FILE'],
      'NTLM needs the password',
    ],
  ])('a keytab with %s is rejected', (_, changed, expected, fault) => {
    const settings = changed();
    expect(names(settings)).toEqual(expected);
    expect(faults(settings).join()).toContain(fault);
  });

  // Windows has no mode bits: there, the registration script restricts the file to the task.
  test.runIf(process.platform !== 'win32')('a keytab that everyone can read is rejected', () => {
    const settings = withKeytab(keytabFile(keytab(), 0o644));
    expect(names(settings)).toEqual(['SMB_KEYTAB_FILE']);
    expect(faults(settings).join()).toContain('every user of this machine');
  });

  test.each([
    [{ FOLDER_AGENT_SMB_AUTH: 'krb5' }, ['SMB_AUTH']],
    [{ FOLDER_AGENT_KDC: 'dc1.firma.local' }, ['KDC']],
    [{ FOLDER_AGENT_SMB_SPN_HOST: 'fs01' }, ['SMB_SPN_HOST']],
    [{ FOLDER_AGENT_SMB_REALM: 'FIRMA.LOCAL', FOLDER_AGENT_KDC: 'dc1:99999' }, ['KDC']],
    [{ FOLDER_AGENT_SMB_REALM: 'FIRMA LOCAL' }, ['SMB_REALM']],
  ])('%j is rejected', (changed, expected) => {
    expect(names(changed)).toEqual(expected);
  });
});

describe('DFS', () => {
  const inDomain = { FOLDER_AGENT_SMB_REALM: 'FIRMA.LOCAL', FOLDER_AGENT_SMB_USERNAME: 'svc' };
  const read = (changed: Record<string, string>) => readAgentSettings({ ...env, ...changed }, 'host');

  test('is on by default and follows links within the domain of the account', () => {
    expect(read({}).fileServer.dfs).toEqual({ domain: undefined, netbiosDomain: undefined, servers: [] });
    expect(read(inDomain).fileServer.dfs).toMatchObject({
      domain: 'firma.local',
      servers: ['*.firma.local'],
    });
    const given = { ...inDomain, FOLDER_AGENT_DFS_SERVERS: 'fs1.firma.local; *.werk.local;' };
    expect(read(given).fileServer.dfs?.servers).toEqual(['fs1.firma.local', '*.werk.local']);
    expect(read({ ...inDomain, FOLDER_AGENT_DFS: 'off' }).fileServer.dfs).toBeUndefined();
  });

  test('template, root path and allowed roots may be in namespaces of the domain, by either of its names', () => {
    const settings = read({
      ...inDomain,
      FOLDER_AGENT_SMB_DOMAIN: 'ALT',
      FOLDER_AGENT_TEMPLATE_PATH: '//Firma.Local/daten/Vorlagen',
      FOLDER_AGENT_ROOT_PATH: '//alt/daten/Projekte',
      FOLDER_AGENT_ALLOWED_ROOTS: '//firma.local/daten;//FS01/Archiv',
    });
    const { template, root, allowedRoots, fileServer } = settings;
    expect([template, root, ...allowedRoots!].map((folder) => folder?.server)).toEqual([
      'firma.local',
      'firma.local',
      'firma.local',
      'fs01',
    ]);
    expect(fileServer.ownFolders).toEqual([template, root]);
  });

  test.each([
    [{ FOLDER_AGENT_DFS: 'yes' }, 'DFS: expected on or off'],
    [{ FOLDER_AGENT_DFS_SERVERS: '*' }, 'DFS_SERVERS: expected a host name, or *.domain'],
    [{ FOLDER_AGENT_DFS_SERVERS: 'fs*.firma.local' }, 'DFS_SERVERS: expected a host name, or *.domain'],
    [{ FOLDER_AGENT_DFS_SERVERS: '\\\\fs1\\daten' }, 'DFS_SERVERS: expected a host name, or *.domain'],
    [{ FOLDER_AGENT_TEMPLATE_PATH: '//firma.local/daten/x' }, 'TEMPLATE_PATH: is on a server other than'],
    [
      { ...inDomain, FOLDER_AGENT_DFS: 'off', FOLDER_AGENT_TEMPLATE_PATH: '//firma.local/daten/x' },
      'TEMPLATE_PATH: is on a server other than',
    ],
  ])('%j is rejected', (changed, fault) => {
    expect(faults(changed)).toEqual([expect.stringContaining(`FOLDER_AGENT_${fault}`)]);
  });
});
