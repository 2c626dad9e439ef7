import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedServer } from '../embedded/server.ts';
import { recycleBinLines } from '../samba/samba-conf.ts';
import { Samba } from '../samba/samba.ts';
import type { TestFileServer, FileServerOptions, ShareKind } from './file-server.ts';
import { has } from './needs.ts';

/**
 * For tests to which any correct file server will do: Samba where it is installed, otherwise the embedded server. What the
 * shares contain is kept with the files of a failed test.
 */
export async function startFileServer(options: FileServerOptions = {}): Promise<TestFileServer> {
  const folder = await mkdtemp(join(tmpdir(), 'file-server-'));
  if (!has('samba')) return EmbeddedServer.start({ folder, ...options });
  const { moreShares = {}, hasRecycleBin = false, ...rest } = options;
  const projectLines = hasRecycleBin ? recycleBinLines : [];
  const lines = Object.entries(moreShares).map(([name, kind]) => [name, sambaLines(kind)] as const);
  return Samba.start({ folder, ...rest, projectLines, moreShares: Object.fromEntries(lines) });
}

function sambaLines(kind: ShareKind): readonly string[] {
  if (kind === 'readOnly') return ['read only = yes'];
  return kind === 'limited' && process.getuid?.() === 0 ? ['force user = nobody'] : [];
}
