import { afterAll, beforeAll, expect } from 'vitest';
import type { Cipher, Dialect, SigningAlgorithm, SmbOptions } from '../index.ts';
import { SmbClient } from '../index.ts';
import type { Samba, SambaOptions } from './samba/samba.ts';
import { startSamba } from './support/samba.ts';
import {
  type Contract,
  callContract,
  copiesContract,
  expectBytesUnchanged,
  frameContract,
  sizeContract,
  smbContract,
} from './contract/index.ts';
import { clientOptions } from './samba-client.ts';
import { requires } from './support/requires.ts';

const { describe, test } = requires('samba');

interface Row {
  /** Left out: as installed. */
  samba?: SambaOptions;
  client?: Partial<SmbOptions>;
  agreed: { dialect: Dialect; signing: SigningAlgorithm; cipher: Cipher | undefined };
  /** Where only this differs from another row: how frames are protected, how this is agreed, their sizes, or copies. */
  differsIn?: keyof typeof contracts;
}

const contracts = {
  calls: smbContract,
  frames: frameContract,
  sizes: sizeContract,
  agreement: callContract,
  copies: copiesContract,
} as const;

const usual = {
  dialect: '3.1.1',
  signing: 'AES-128-GMAC',
  cipher: 'AES-128-GCM',
} as const;
const global = (...globalLines: string[]): SambaOptions => ({ globalLines });
const encryptedShare = ['smb encrypt = required'];

const rows: Record<string, Row> = {
  'as installed': { agreed: usual },
  'server signing = mandatory': {
    samba: global('server signing = mandatory'),
    agreed: usual,
    differsIn: 'agreement',
  },
  'smb encrypt = required': {
    samba: global('smb encrypt = required'),
    client: { encryption: 'required' },
    agreed: usual,
    differsIn: 'agreement',
  },
  'smb encrypt = required on the shares only': {
    samba: { templateLines: encryptedShare, projectLines: encryptedShare },
    agreed: usual,
    differsIn: 'agreement',
  },
  'SMB 3.1.1 only, signing mandatory, encryption required': {
    samba: global('server min protocol = SMB3_11', 'server signing = mandatory', 'smb encrypt = required'),
    client: { minimumDialect: '3.1.1', encryption: 'required' },
    agreed: usual,
    differsIn: 'agreement',
  },
  'SMB 3.0.2 only': {
    samba: global('server min protocol = SMB3_02', 'server max protocol = SMB3_02'),
    agreed: { dialect: '3.0.2', signing: 'AES-128-CMAC', cipher: 'AES-128-CCM' },
    differsIn: 'agreement',
  },
  'SMB 3.0 only': {
    samba: global('server min protocol = SMB3_00', 'server max protocol = SMB3_00'),
    agreed: { dialect: '3.0', signing: 'AES-128-CMAC', cipher: 'AES-128-CCM' },
    differsIn: 'frames',
  },
  'SMB 3.0 only, without encryption': {
    samba: global('server min protocol = SMB3_00', 'server max protocol = SMB3_00', 'smb encrypt = off'),
    agreed: { dialect: '3.0', signing: 'AES-128-CMAC', cipher: undefined },
    differsIn: 'frames',
  },
  'SMB 2.1 only': {
    samba: global('server min protocol = SMB2_10', 'server max protocol = SMB2_10'),
    client: { minimumDialect: '2.1' },
    agreed: { dialect: '2.1', signing: 'HMAC-SHA256', cipher: undefined },
    differsIn: 'frames',
  },
  'requests of at most 64 KiB': {
    samba: global('smb2 max read = 65536', 'smb2 max write = 65536', 'smb2 max trans = 65536'),
    agreed: usual,
    differsIn: 'sizes',
  },
  'very few credits': {
    samba: global('smb2 max credits = 4'),
    agreed: usual,
    differsIn: 'sizes',
  },
  'one credit': { samba: global('smb2 max credits = 1'), agreed: usual },
  'without compounds': { client: { compounds: false }, agreed: usual },
  'without server-side copy': {
    client: { serverSideCopy: false },
    agreed: usual,
    differsIn: 'copies',
  },
};

for (const signing of ['HMAC-SHA256', 'AES-128-CMAC', 'AES-128-GMAC'] as const) {
  rows[`signed with ${signing} only, without encryption`] = {
    samba: global(`server smb3 signing algorithms = ${signing}`, 'smb encrypt = off'),
    agreed: { dialect: '3.1.1', signing, cipher: undefined },
    differsIn: 'frames',
  };
}
for (const cipher of ['AES-128-GCM', 'AES-128-CCM', 'AES-256-GCM', 'AES-256-CCM'] as const) {
  rows[`encrypted with ${cipher} only`] = {
    samba: global(`server smb3 encryption algorithms = ${cipher}`, 'smb encrypt = required'),
    client: { encryption: 'required' },
    agreed: { ...usual, cipher },
    differsIn: cipher === usual.cipher ? 'agreement' : 'frames',
  };
}

let samba: Samba;
beforeAll(async () => {
  samba = await startSamba();
});
afterAll(async () => {
  await samba?.stop();
  expectBytesUnchanged();
});

describe.each(Object.entries(rows))('Samba, %s', (_, row) => {
  let contract: Contract;

  beforeAll(async () => {
    await samba.reconfigure(row.samba);
    const client = new SmbClient({ ...clientOptions(samba), ...row.client });
    contract = {
      client,
      template: client.share(samba.templateShare),
      projects: client.share(samba.projectShare),
      templateFolder: samba.templateFolder,
      projectFolder: samba.projectFolder,
      copiesOnServer: row.client?.serverSideCopy !== false,
    };
  });
  afterAll(() => contract?.client.close());

  test('negotiates what these settings allow', async () => {
    expect(await contract.client.connect()).toMatchObject(row.agreed);
    expect(await contract.projects.connect()).toEqual({ writable: true, isDfs: false });
    expect(await contract.template.connect()).toEqual({ writable: true, isDfs: false });
  });

  contracts[row.differsIn ?? 'calls'](() => contract);

  test('the tests above shared one connection', () => {
    expect(contract.client.traffic.connections).toBe(1);
  });
});
