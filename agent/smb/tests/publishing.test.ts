import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { isTemporaryName, SmbClient } from '../index.ts';
import { startSamba } from './support/samba.ts';
import { command, errorBody } from './support/scripted-server/responses.ts';
import { scriptedAccount } from './support/scripted-server/security.ts';
import { ScriptedServer, type Script } from './support/scripted-server/server.ts';
import { rejection } from './contract/index.ts';
import { clientOptions } from './samba-client.ts';
import { requires } from './support/requires.ts';

// How a published file gets its name: by a hard link, and by a rename where the share has no links.

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const linkInfo = 11;
const renameInfo = 10;

function failed(response: Buffer, status: number): Buffer {
  const failure = Buffer.concat([response.subarray(0, 64), errorBody()]);
  failure.writeUInt32LE(status, 8);
  return failure;
}

async function shareOn(respond: NonNullable<Script['respond']>) {
  const server = await ScriptedServer.start({ cipher: 2, respond });
  ends.push(() => server.stop());
  const { user: username, password, domain } = scriptedAccount;
  const client = new SmbClient({ host: '127.0.0.1', port: server.port, username, password, domain });
  ends.push(() => client.close());
  return { server, client, share: client.share('projects') };
}

/** Records the class of each SET_INFO that names a file. */
function namings(): { seen: number[]; watch: (request: Buffer) => number | undefined } {
  const seen: number[] = [];
  const watch = (request: Buffer) => {
    const infoClass = request.readUInt16LE(12) === command.setInfo ? request[67] : undefined;
    if (infoClass === linkInfo || infoClass === renameInfo) seen.push(infoClass);
    return infoClass;
  };
  return { seen, watch };
}

// With renames, 49 to 54 of 1,500 files were 'created' for both clients; of 300, about ten.
requires('samba').test(
  'of two clients that publish the same name at the same moment, exactly one creates it',
  async () => {
    const samba = await startSamba();
    ends.push(() => samba.stop());
    const shares = [0, 1].map(() => {
      const client = new SmbClient(clientOptions(samba));
      ends.push(() => client.close());
      return client.share(samba.projectShare);
    });
    const count = 300;
    for (let file = 0; file < count; file += 1) {
      const outcomes = await Promise.all(
        shares.map((share, index) => share.publish(`file-${file}`, Buffer.alloc(1_000, index))),
      );
      expect(outcomes.toSorted()).toEqual(['created', 'existed']);
      const contents = await readFile(join(samba.projectFolder, `file-${file}`));
      expect(contents.equals(Buffer.alloc(1_000, outcomes.indexOf('created')))).toBe(true);
    }
    const names = await readdir(samba.projectFolder);
    expect(names).toHaveLength(count);
    expect(names.filter(isTemporaryName)).toEqual([]);
  },
);

test.each([
  ['in one compound', 100],
  ['in pieces', 1_000_000],
])('on a share without hard links, a file is renamed and no link is tried again: %s', async (_, size) => {
  const { seen, watch } = namings();
  const { share } = await shareOn((response, request) => [
    // Samba on FAT: EPERM becomes ACCESS_DENIED.
    watch(request) === linkInfo ? failed(response, 0xc0000022) : response,
  ]);
  expect(await share.publish('one', Buffer.alloc(size))).toBe('created');
  expect(await share.publish('two', Buffer.alloc(size))).toBe('created');
  expect(seen).toEqual([linkInfo, renameInfo, renameInfo]);
});

test('concurrent copies on a share without hard links are all created', async () => {
  const { seen, watch } = namings();
  const { share } = await shareOn((response, request) => [
    watch(request) === linkInfo ? failed(response, 0xc00000bb) : response,
  ]);
  const files = Array.from({ length: 40 }, (_, index) =>
    share.copyFile({ share, path: 'file', size: 4_096 }, `copy-${index}`, { replace: false }),
  );
  const outcomes = (await Promise.all(files)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(Array.from({ length: 40 }, () => 'created'));
  expect(seen.filter((infoClass) => infoClass === renameInfo)).toHaveLength(40);
});

test('a server that deletes the file with its temporary name is detected with the first file', async () => {
  const { seen, watch } = namings();
  const { share } = await shareOn((response, request) => {
    watch(request);
    const isCheck = request.readUInt16LE(12) === command.create && request.readUInt32LE(100) === 1;
    return [isCheck ? failed(response, 0xc0000034) : response];
  });
  const error = await rejection(share.publish('plan.dwg', Buffer.alloc(100)), 'SERVER_ERROR');
  expect(error.retryable).toBe(true);
  expect(await share.publish('plan.dwg', Buffer.alloc(100))).toBe('created');
  expect(seen).toEqual([linkInfo, renameInfo]);
});

test('a successful link is checked once for each share, not for each file', async () => {
  const { client, share } = await shareOn((response) => [response]);
  await share.publish('one', Buffer.alloc(100));
  const before = client.traffic.framesSent;
  await share.publish('two', Buffer.alloc(100));
  expect(client.traffic.framesSent - before).toBe(1);
});
