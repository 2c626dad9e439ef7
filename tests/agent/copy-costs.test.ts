import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyTemplate } from '../../agent/copy/template-copy.ts';
import { type SmbOptions, SmbClient } from '../../agent/smb/index.ts';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { startFileServer } from '../../agent/smb/tests/support/start-file-server.ts';
import { bytesOf } from '../../agent/smb/tests/contract/index.ts';
import { clientOptions } from '../../agent/smb/tests/samba-client.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

// The cost of a template of small files on the wire and on the server, with the shape and the path lengths of the
// benchmark's template.

const directories = Array.from({ length: 4 }, (_, outer) => [
  `Bereich ${outer}`,
  ...Array.from({ length: 9 }, (__, inner) => `Bereich ${outer}/Ordner ${inner}`),
]).flat();
const filesEach = 10;
const files = directories.length * filesEach;
let fileServer: TestFileServer;

beforeAll(async () => {
  fileServer = await startFileServer();
  for (const directory of directories) {
    await mkdir(join(fileServer.templateFolder, directory), { recursive: true });
    for (let number = 0; number < filesEach; number += 1) {
      await writeFile(join(fileServer.templateFolder, directory, `Vorlage ${number}.docx`), bytesOf(4_096));
    }
  }
});
afterAll(() => fileServer?.stop());

async function copyTo(path: string, options: Partial<SmbOptions> = {}) {
  const client = new SmbClient({ ...clientOptions(fileServer), ...options });
  const projects = client.share(fileServer.projectShare);
  await projects.ensureDirectory(path);
  const template = client.share(fileServer.templateShare);
  await template.connect();
  const before = client.traffic;
  const summary = await copyTemplate(template, projects.folder(path));
  const { bytesSent, bytesReceived, framesSent } = client.traffic;
  return {
    client,
    summary,
    bytes: bytesSent + bytesReceived - before.bytesSent - before.bytesReceived,
    frames: framesSent - before.framesSent,
  };
}

/** Files of the template that the server has open. */
async function openSources(): Promise<number> {
  let count = 0;
  for (const pid of await fileServer.connectionPids()) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (target.startsWith(fileServer.templateFolder) && target.endsWith('.docx')) count += 1;
    }
  }
  return count;
}

// The benchmark's template has 273 MB in a thousand small files and a large one. 1 % of it is 2,725 bytes per file.
test('a small file and its part of a directory cost at most 2,650 bytes and 3 frames', async () => {
  const { client, summary, bytes, frames } = await copyTo('run-1');
  await client.close();
  expect(summary).toMatchObject({ filesCreated: files, filesCopiedByServer: files });
  expect(bytes / files).toBeLessThan(2_650);
  expect(frames / files).toBeLessThan(3);
});

requires('linux').test(
  'the server never has more than 256 sources open besides those in flight, and none at the end',
  async () => {
    const copying = { isDone: false };
    const watching = (async () => {
      let most = 0;
      while (!copying.isDone) most = Math.max(most, await openSources());
      return most;
    })();
    const { client } = await copyTo('bounded');
    copying.isDone = true;
    const most = await watching;
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(256 + 64);
    await expect.poll(openSources).toBe(0);
    await client.close();
  },
);
