import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SmbClient } from '../index.ts';
import { type Contract, expectBytesUnchanged, smbContract } from './contract/index.ts';
import { EmbeddedServer } from './embedded/server.ts';
import { clientOptions } from './samba-client.ts';

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
