// Copies the template share into the projects share by reading and writing, in a separate process, and prints how much
// memory that took. The argument has the host, port, and account of a Samba as JSON.
import { readFile } from 'node:fs/promises';
import { keepHeapSmall } from '../../agent/base/memory-bound.ts';
import { copyTemplate } from '../../agent/copy/template-copy.ts';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { smbClient } from './share-trees.ts';

async function memory(field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

keepHeapSmall();
const client = smbClient(JSON.parse(process.argv[2] ?? '') as TestFileServer, { serverSideCopy: false });
await client.connect();
const idleBytes = await memory('VmRSS');
const { filesCreated, filesCopiedByServer } = await copyTemplate(
  client.share('template'),
  client.share('projects'),
);
const mostBytes = await memory('VmHWM');
await client.close();
process.stdout.write(JSON.stringify({ filesCreated, filesCopiedByServer, idleBytes, mostBytes }));
