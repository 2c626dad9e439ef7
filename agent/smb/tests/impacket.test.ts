import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SmbClient, type SmbOptions } from '../index.ts';
import { ImpacketServer } from './support/impacket.ts';
import { type Contract, bytesOf, rejection } from './contract/context.ts';
import { nameContract } from './contract/names.ts';
import { requires } from './support/requires.ts';

const optionsFor = (server: ImpacketServer): SmbOptions => ({
  host: server.host,
  port: server.port,
  username: server.account.user,
  password: server.account.password,
  minimumDialect: '2.1',
  // impacket signs the parts of a compound before it links them, so every signature in a compound is wrong.
  compounds: false,
});

requires('impacket').describe("impacket's smbserver", () => {
  test('supports only SMB 2.0.2 by default, which is rejected', async () => {
    const server = await ImpacketServer.start('0x0202');
    const client = new SmbClient(optionsFor(server));
    try {
      // The server responds with a dialect that was not offered, regardless of the offer.
      await rejection(client.connect(), 'DOWNGRADE');
    } finally {
      await client.close();
      await server.stop();
    }
  });

  describe('responding with SMB 2.1', () => {
    let server: ImpacketServer;
    let contract: Contract;

    beforeAll(async () => {
      server = await ImpacketServer.start('0x0210');
      const client = new SmbClient(optionsFor(server));
      contract = {
        client,
        template: client.share('TEMPLATE'),
        projects: client.share('PROJECTS'),
        templateFolder: server.templateFolder,
        projectFolder: server.projectFolder,
        copiesOnServer: false,
      };
    });
    afterAll(async () => {
      await contract?.client.close();
      await server?.stop();
    });

    test('negotiates SMB 2.1 with signing', async () => {
      expect(await contract.client.connect()).toMatchObject({
        dialect: '2.1',
        signing: 'HMAC-SHA256',
        cipher: undefined,
      });
    });

    // The server does not report a missing parent, replaces on rename, ignores times, and drops writes beyond the end
    // of a file, so the whole contract would test impacket. These tests check that two independent programs
    // interoperate.
    test('creates and lists directories', async () => {
      const { projects, projectFolder } = contract;
      await projects.ensureDirectory('Ordner');
      await projects.mkdir('Ordner\\innen');
      await mkdir(join(projectFolder, 'Ordner', 'direkt'));
      const names = (await projects.list('Ordner')).map((entry) => [entry.name, entry.isDirectory()]);
      expect(Object.fromEntries(names)).toEqual({ innen: true, direkt: true });
      await projects.rmdir('Ordner\\innen');
      expect(await readdir(join(projectFolder, 'Ordner'))).toEqual(['direkt']);
    });

    test.each([0, 1, 4_096, 65_536, 65_537, 1_500_000])('publishes and copies %d bytes', async (size) => {
      const { projects, template, projectFolder, templateFolder } = contract;
      await writeFile(join(templateFolder, `source-${size}`), bytesOf(size));
      await projects.publish(`published-${size}`, bytesOf(size));
      const source = { share: template, path: `source-${size}`, size };
      expect((await projects.copyFile(source, `copied-${size}`, { replace: false })).outcome).toBe('created');
      for (const name of [`published-${size}`, `copied-${size}`]) {
        expect((await readFile(join(projectFolder, name))).equals(bytesOf(size)), name).toBe(true);
      }
    });

    nameContract(() => contract);

    test('rejects a wrong password', async () => {
      const client = new SmbClient({ ...optionsFor(server), password: 'wrong' });
      await rejection(client.connect(), 'LOGON_REJECTED');
      await client.close();
    });
  });
});
