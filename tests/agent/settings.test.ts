import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEnvironmentFile } from '../../agent/settings/environment-file.ts';
import { readAgentSettings } from '../../agent/settings/settings.ts';
import { SettingsError } from '../../lib/contract/settings-table.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

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

/** The only fault of settings without their prefix. */
const onlyFault = (changed: Readonly<Record<string, string>>): string => {
  const named = Object.entries(changed).map(([name, value]) => [`FOLDER_AGENT_${name}`, value]);
  const found = faults(Object.fromEntries(named));
  expect(found).toHaveLength(1);
  return found[0]!.replace(/^FOLDER_AGENT_/, '');
};

describe('the environment file', () => {
  const path = (): string => join(folder, 'agent.env');
  const read = (text: string, encoding: BufferEncoding = 'utf8') => {
    writeFileSync(path(), Buffer.from(text, encoding));
    return readEnvironmentFile(path());
  };
  const faultsIn = (text: string, encoding?: BufferEncoding): readonly string[] => {
    try {
      read(text, encoding);
    } catch (error) {
      if (error instanceof SettingsError) return error.faults;
      throw error;
    }
    return [];
  };

  test.each([
    ['with a byte order mark', 'utf8'],
    ['in UTF-16, as PowerShell 5 redirects', 'utf16le'],
  ] as const)('%s has its first variable', (_what, encoding) => {
    expect(read('\ufeffA=first\r\nB=ö€\r\n', encoding)).toEqual({ A: 'first', B: 'ö€' });
  });

  test('is read as Node reads it', () => {
    const text =
      '# comment\n\nA=1\nexport B=2\n C = 3 \nD=a b # comment\nE=\'x#y\'\nF="x\'y#z" # comment\nG=`a"b`\nH=FIRMA\\svc\nI=a"b\nJ=\nK="two\nX=a#b\nlines"\nL=p$w=x\nM= # none\nN=1\nN=2\n';
    expect(read(text)).toEqual({
      A: '1',
      B: '2',
      C: '3',
      D: 'a b',
      E: 'x#y',
      F: "x'y#z",
      G: 'a"b',
      H: 'FIRMA\\svc',
      I: 'a"b',
      J: '',
      K: 'two\nX=a#b\nlines',
      L: 'p$w=x',
      M: '',
      N: '2',
    });
  });

  test.each([['ab#cd'], ["'it's'"], ['"a"b"'], ['"a"b'], ['#cd']])(
    'rejects a value of which Node reads only a part, and does not print it: %s',
    (value) => {
      const found = faultsIn(`A=1\nPASSWORD=${value}\nB=2\n`);
      expect(found).toEqual([
        'PASSWORD: the file has more of its value than is read, because of a # or a quote in it; write it in quotes that it does not have, \'…\' or "…"',
      ]);
    },
  );

  test('that is in a code page, or not there, is a fault', () => {
    expect(faultsIn('PASSWORD=müller\n', 'latin1')).toEqual([
      '--env-file: the file is not UTF-8; save it as UTF-8',
    ]);
    rmSync(path());
    expect(() => readEnvironmentFile(path())).toThrow(/--env-file: ENOENT/);
  });
});

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

  // A password of which a part is missing, or that has other characters, locks the account.
  test.each([
    ['of Notepad, with a byte order mark', '\ufeffgeheim-ö1\r\n', 'utf8'],
    ['of PowerShell 5, in UTF-16', '\ufeffgeheim-ö1\r\n', 'utf16le'],
    ['with an empty line at its end', 'geheim-ö1\n\n', 'utf8'],
    ['without an end of its line', 'geheim-ö1', 'utf8'],
  ] as const)('read a password from a file %s', (_what, text, encoding) => {
    const path = join(folder, 'written-elsewhere');
    writeFileSync(path, Buffer.from(text, encoding));
    const changed = { FOLDER_AGENT_SMB_PASSWORD: undefined, FOLDER_AGENT_SMB_PASSWORD_FILE: path };
    const { fileServer } = readAgentSettings({ ...env, ...changed }, 'host');
    expect(fileServer.account.password.reveal()).toBe('geheim-ö1');
  });

  test.each([
    ['in a code page', Buffer.from('geheim-ö1\n', 'latin1'), 'the file is not UTF-8; save it as UTF-8'],
    [
      'in UTF-16 without a mark',
      Buffer.from('geheim\n', 'utf16le'),
      'the file is not UTF-8; save it as UTF-8',
    ],
    ['of two lines', Buffer.from('geheim\nxyz\n'), 'the file has more than one line'],
  ] as const)('reject a password %s', (_what, bytes, message) => {
    const path = join(folder, 'written-wrongly');
    writeFileSync(path, bytes);
    const changed = { FOLDER_AGENT_SMB_PASSWORD: undefined, FOLDER_AGENT_SMB_PASSWORD_FILE: path };
    expect(faults(changed)).toEqual([`FOLDER_AGENT_SMB_PASSWORD_FILE: ${message}`]);
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

  const otherServer =
    'is on a server other than FOLDER_AGENT_SMB_SERVER and its aliases. If both names are of one server, add this one to FOLDER_AGENT_SMB_SERVER_ALIASES';
  const inTemplate =
    'ROOT_PATH: is FOLDER_AGENT_TEMPLATE_PATH or inside it, and the template cannot be copied into itself. Set it to a directory outside, such as //fs01/Projekte for the template //fs01/Vorlagen/Projekt';
  const driveLetter =
    'starts with the drive letter "…": expected \\\\server\\share\\folder or folder\\folder';
  const noAccount = 'SMB_USERNAME: expected a name, or DOMAIN\\name with one backslash';
  const noNameOfServer = 'write only its name, such as fs01.firma.example';
  const noNameOfHost = 'DFS_SERVERS: expected a host name, or *.domain';
  const noRealm =
    'SMB_REALM: is missing; Kerberos needs it if neither the user name nor the domain contains the realm';
  const noEffect = 'has no effect with NTLM; set FOLDER_AGENT_SMB_AUTH to kerberos';
  const inRealm = { SMB_REALM: 'FIRMA.LOCAL' };

  // What an operator reads: each names the setting, what is wrong, and what to write, but not the value.
  test.each<[Readonly<Record<string, string>>, string]>([
    [
      { ALLOWED_ROOT: '//fs01/x' },
      'ALLOWED_ROOT: is not a setting of the agent; the nearest one is FOLDER_AGENT_ALLOWED_ROOTS. Correct or remove it',
    ],
    [
      { SMB_ENCRYPTON: 'required' },
      'SMB_ENCRYPTON: is not a setting of the agent; the nearest one is FOLDER_AGENT_SMB_ENCRYPTION. Correct or remove it',
    ],
    [{ API_BASE_URL: 'https://user:pw@folders.example.com' }, 'API_BASE_URL: must not contain credentials'],
    [
      { API_BASE_URL: 'http://folders.example.com' },
      'API_BASE_URL: must start with https://, because a key would be sent unencrypted; http only to this machine',
    ],
    [{ API_KEY: '' }, 'API_KEY: is missing'],
    [
      { API_KEY: '"key"' },
      'API_KEY: is in quotes, which would be part of the key; write FOLDER_AGENT_API_KEY=key',
    ],
    [
      { API_KEY: '@Microsoft.KeyVault(SecretUri=x)' },
      'API_KEY: is an unresolved Key Vault reference; check the vault, the secret and the identity',
    ],
    [
      { PROXY_URL: 'http://FIRMA\\svc:falsch-4711@127.0.0.1:3128' },
      'PROXY_URL: expected http://host:port or http://user:password@host:port, special characters of user and password percent-encoded, such as http://FIRMA%5Csvc:p%40ss@proxy.firma.example:3128',
    ],
    [
      { REQUEST_TIMEOUT_MS: '15' },
      'REQUEST_TIMEOUT_MS: expected a whole number from 200 to 600000 milliseconds, such as 15000 for 15 seconds',
    ],
    [{ CA_BUNDLE_PATH: 'ca.pem' }, 'CA_BUNDLE_PATH: expected an absolute path'],
    [{ CA_BUNDLE_PATH: '/nowhere/ca.pem' }, 'CA_BUNDLE_PATH: the file cannot be read (ENOENT)'],
    [
      { SMB_SERVER: '\\\\fs01' },
      `SMB_SERVER: is a path, or has backslashes before the name; ${noNameOfServer}`,
    ],
    [{ SMB_SERVER: 'smb://fs01' }, `SMB_SERVER: is a URL; ${noNameOfServer}`],
    [
      { SMB_SERVER: 'fs01:445' },
      `SMB_SERVER: has a port; ${noNameOfServer}, and the port in FOLDER_AGENT_SMB_PORT`,
    ],
    [
      { SMB_SERVER: 'fe80::1' },
      `SMB_SERVER: is an IPv6 address, which no UNC path can contain; ${noNameOfServer}`,
    ],
    [
      { SMB_SERVER: 'localhost', ROOT_PATH: '//fs01/Projekte' },
      'SMB_SERVER: is not the server of FOLDER_AGENT_TEMPLATE_PATH, FOLDER_AGENT_ROOT_PATH. Set it to the name that these paths begin with, such as fs01 for //fs01/Projekte',
    ],
    [
      { SMB_SERVER_ALIASES: 'fs01; //ablage' },
      `SMB_SERVER_ALIASES: entry 2 of 2: is a path, or has backslashes before the name; ${noNameOfServer}`,
    ],
    [{ TEMPLATE_PATH: '\\\\fs02\\x' }, `TEMPLATE_PATH: ${otherServer}`],
    [{ TEMPLATE_PATH: '//firma.local/daten/x' }, `TEMPLATE_PATH: ${otherServer}`],
    [{ ...inRealm, DFS: 'off', TEMPLATE_PATH: '//firma.local/daten/x' }, `TEMPLATE_PATH: ${otherServer}`],
    [{ TEMPLATE_PATH: '\\\\fs01\\C$\\x' }, 'TEMPLATE_PATH: share "…" is an administrative share'],
    [{ ROOT_PATH: '//fs01/Projekte/..' }, 'ROOT_PATH: folder "…" would point at another folder'],
    [
      { ROOT_PATH: '//a b/x' },
      'ROOT_PATH: server "…" is not a host name (letters, digits, "-", "_" and single dots between them)',
    ],
    [{ ROOT_PATH: '//fs01/Vorlagen/Projekt' }, inTemplate],
    [{ ROOT_PATH: '//fs01/VORLAGEN/projekt/neu' }, inTemplate],
    [{ ALLOWED_ROOTS: '\\\\fs01\\x;\\\\fs02\\x' }, `ALLOWED_ROOTS: entry 2 of 2 ${otherServer}`],
    [{ ALLOWED_ROOTS: '\\\\fs01\\x;D:\\x' }, `ALLOWED_ROOTS: entry 2 of 2: ${driveLetter}`],
    [
      { ALLOWED_ROOTS: '//fs01/Projekte, //fs01/Archiv' },
      'ALLOWED_ROOTS: separate the paths with semicolons, such as //fs01/Projekte;//fs01/Archiv',
    ],
    [{ ALLOWED_ROOTS: ' ; ' }, 'ALLOWED_ROOTS: is an empty list'],
    [{ SMB_USERNAME: 'FIRMA\\' }, noAccount],
    [{ SMB_USERNAME: '\\FIRMA\\svc' }, noAccount],
    [{ SMB_USERNAME: 'A\\B\\c' }, noAccount],
    [
      { SMB_USERNAME: 'FIRMA\\svc', SMB_DOMAIN: 'WERK' },
      'SMB_USERNAME: the domain differs from FOLDER_AGENT_SMB_DOMAIN; set the domain only once',
    ],
    [{ SMB_AUTH: 'krb5' }, 'SMB_AUTH: expected ntlm, kerberos or negotiate'],
    [{ SMB_AUTH: 'kerberos' }, noRealm],
    [{ SMB_AUTH: 'kerberos', SMB_DOMAIN: 'FIRMA' }, noRealm],
    [{ SMB_REALM: 'FIRMA LOCAL' }, 'SMB_REALM: expected the name of a realm, such as FIRMA.LOCAL'],
    [{ KDC: 'dc1.firma.local' }, `KDC: ${noEffect}`],
    [{ SMB_SPN_HOST: 'fs01' }, `SMB_SPN_HOST: ${noEffect}`],
    [
      { ...inRealm, KDC: 'dc1:99999' },
      'KDC: expected host or host:port, each with REALM= before it if needed, separated by semicolons, such as dc1.firma.local;dc2.firma.local',
    ],
    [{ DFS: 'yes' }, 'DFS: expected on or off'],
    [{ DFS_SERVERS: '*' }, noNameOfHost],
    [{ DFS_SERVERS: 'fs*.firma.local' }, noNameOfHost],
    [{ DFS_SERVERS: '\\\\fs1\\daten' }, noNameOfHost],
  ])('%j', (changed, fault) => expect(onlyFault(changed)).toBe(fault));

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
    [
      'a missing file',
      () => withKeytab('/not/there.keytab'),
      ['SMB_KEYTAB_FILE'],
      'the file cannot be read (ENOENT)',
    ],
    [
      'a file that is not a keytab',
      () => withKeytab(keytabFile('password')),
      ['SMB_KEYTAB_FILE'],
      'The keytab is not of version 0x0502; create it again',
    ],
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
  requires('POSIX').test('a keytab that everyone can read is rejected', () => {
    const settings = withKeytab(keytabFile(keytab(), 0o644));
    expect(names(settings)).toEqual(['SMB_KEYTAB_FILE']);
    expect(faults(settings).join()).toContain('every user of this machine');
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
});
