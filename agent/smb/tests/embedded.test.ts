import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SmbClient } from '../index.ts';
import { behavior } from './contract/behavior.ts';
import { type Contract, expectBytesUnchanged, smbContract } from './contract/index.ts';
import { EmbeddedServer } from './embedded/server.ts';
import { clientOptions } from './samba-client.ts';
import type { TestFileServer } from './support/file-server.ts';
import { RawShare } from './support/wire/raw-share.ts';
import { requires } from './support/requires.ts';
import { startSamba } from './support/samba.ts';

for (const [protection, cipher] of [
  ['sealed', 2],
  ['signed', 0],
] as const)
  describe(`embedded server, ${protection}`, () => {
    let context: Contract;
    let server: EmbeddedServer;
    beforeAll(async () => {
      server = await EmbeddedServer.start({ script: { cipher } });
      const client = new SmbClient(clientOptions(server));
      context = {
        client,
        template: client.share(server.templateShare),
        projects: client.share(server.projectShare),
        templateFolder: server.templateFolder,
        projectFolder: server.projectFolder,
        copiesOnServer: true,
      };
    });
    afterAll(async () => {
      await context.client.close();
      await server.stop();
      expectBytesUnchanged();
      expect(server.faults).toEqual([]);
    });

    test(`sessions are ${protection}`, async () => {
      const expected = protection === 'sealed' ? 'AES-128-GCM' : undefined;
      expect(await context.client.connect()).toMatchObject({ dialect: '3.1.1', cipher: expected });
    });
    smbContract(() => context);
  });

/**
 * Rows in which the embedded server follows the specification, or is stricter, and Samba is neither: its response, and where that
 * is written.
 */
const ownResponses: Readonly<Record<string, readonly [response: string, source: string]>> = {
  'listing of a file': ['INVALID_PARAMETER', 'MS-SMB2 3.3.5.18'],
  'end of file in 7 bytes': ['INFO_LENGTH_MISMATCH', 'MS-FSA 2.1.5.15.4'],
  // The structure has 40 bytes, the last four of them reserved (MS-FSCC 2.4.7).
  'file, 39 bytes': ['INFO_LENGTH_MISMATCH', 'MS-FSA 2.1.5.15.2'],
  'directory, 39 bytes': ['INFO_LENGTH_MISMATCH', 'MS-FSA 2.1.5.15.2'],
  'end of file of a directory': ['INVALID_PARAMETER', 'MS-FSA 2.1.5.15.4'],
};

requires('samba').describe('the embedded server responds as Samba', () => {
  let servers: readonly TestFileServer[];
  let shares: readonly RawShare[];
  beforeAll(async () => {
    servers = await Promise.all([EmbeddedServer.start(), startSamba()]);
    shares = await Promise.all(
      servers.map((server) => RawShare.connect(clientOptions(server), server.projectShare)),
    );
  });
  afterAll(async () => {
    await Promise.all(shares.map((share) => share.close()));
    await Promise.all(servers.map((server) => server.stop()));
  });

  test.each(Object.keys(behavior))('%s', async (kind) => {
    const [ours, sambas] = await Promise.all(
      shares.map(async (share, index) => {
        const folder = join(servers[index]!.projectFolder, kind);
        await mkdir(folder);
        return behavior[kind]!({
          share,
          at: (name) => `${kind}\\${name}`,
          on: (name) => join(folder, name.replaceAll('\\', '/')),
        });
      }),
    );
    const differences = Object.keys({ ...sambas, ...ours }).flatMap((row) => {
      const [our, samba] = [ours, sambas].map((rows) => JSON.stringify(rows![row]));
      const own = ownResponses[row];
      if (own === undefined) return our === samba ? [] : [`${row}: ${our}, Samba ${samba}`];
      const [response, source] = own;
      if (our !== JSON.stringify(response)) return [`${row}: ${our}, ${source} ${response}`];
      return our === samba ? [`${row}: Samba responds so, too`] : [];
    });
    expect(differences, (servers[0] as EmbeddedServer).faults.join()).toEqual([]);
  });
});
