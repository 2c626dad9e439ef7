import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SmbClient } from '../index.ts';
import { rejection } from './contract/context.ts';
import { EmbeddedServer } from './embedded/server.ts';
import { clientOptions } from './samba-client.ts';
import { command } from './support/scripted-server/responses.ts';
import { createdName, rejecting, type Script, type Step } from './support/scripted-server/script.ts';

// What a test can change in the embedded server: any NTSTATUS at any step, and the other branches of the specification.

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function against(script: Script) {
  const server = await EmbeddedServer.start({ script });
  ends.push(() => server.stop());
  const client = new SmbClient(clientOptions(server));
  ends.push(() => client.close());
  return { server, client, share: client.share(server.projectShare) };
}

const unlikely = 0xc0000802;

test.each<[Step, (share: ReturnType<SmbClient['share']>) => Promise<unknown>]>([
  ['negotiate', (share) => share.stat('')],
  ['sessionSetup1', (share) => share.stat('')],
  ['sessionSetup2', (share) => share.stat('')],
  ['treeConnect', (share) => share.stat('')],
  ['create', (share) => share.writeFile('new', 'x')],
  ['read', (share) => share.readFile('file')],
  ['write', (share) => share.writeFile('new', 'x')],
  ['queryDirectory', (share) => share.list('')],
  ['setInfo', (share) => share.rename('file', 'other')],
])('%s: the first request has the status of the script, the next one succeeds', async (step, call) => {
  const { server, client, share } = await against({ reject: rejecting(step, unlikely, { times: 1 }) });
  await writeFile(join(server.projectFolder, 'file'), 'x');
  const { status } = await rejection(call(share), undefined);
  expect(status).toBe(unlikely);
  await client.close();
  const again = new SmbClient(clientOptions(server));
  ends.push(() => again.close());
  await call(again.share(server.projectShare));
  expect(server.faults).toEqual([]);
});

test('a rejected CREATE creates nothing, and only the requests of its compound fail with it', async () => {
  const script = {
    reject: rejecting('create', unlikely, { matches: (request) => createdName(request) === 'no' }),
  };
  const { server, share } = await against(script);
  expect((await rejection(share.writeFile('no', 'x'), undefined)).status).toBe(unlikely);
  await share.writeFile('yes', 'x');
  expect(await readdir(server.projectFolder)).toEqual(['yes']);
});

test('on request, what follows a failed request fails with it, CLOSE included', async () => {
  const closes: number[] = [];
  const { share } = await against({
    failsRelated: true,
    respond(response, request) {
      if (request.readUInt16LE(12) === command.close) closes.push(response.readUInt32LE(8));
      return [response];
    },
  });
  await share.list('').catch(() => undefined);
  expect(closes).toContain(0x80000006);
});
