import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDrive, type TestDrive } from '../../support/test-drive.ts';
import { requires } from '../../../agent/smb/tests/support/requires.ts';

// The stand-in with unmodified rclone, whose hash check compares quickXorHash computed in Go with ours. Debian 12 has
// 1.60.1, which has no `tenant_url`, so a CONNECT proxy connects graph.microsoft.com to the stand-in. That version sends
// the token to upload and download URLs, which the service has rejected since 2024 (drive rule A7, fixed in rclone 1.66).
// One test shows the rejection; the others set the switch for the old behavior.

// To use another version than the one in PATH: RCLONE=/opt/rclone/rclone.
const program = process.env.RCLONE ?? 'rclone';

requires('rclone').describe('rclone', () => {
  let drive: TestDrive;
  let proxy: Server;
  let directory: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'drive-rclone-'));
    drive = await startTestDrive({ dataDir: join(directory, 'library') });
    proxy = await connectProxy(Number(new URL(drive.url).port));
    const token = { access_token: await drive.token(), token_type: 'Bearer', expiry: '2099-01-01T00:00:00Z' };
    environment = {
      PATH: process.env.PATH ?? '',
      HOME: directory,
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      RCLONE_CONFIG_LIBRARY_TYPE: 'onedrive',
      RCLONE_CONFIG_LIBRARY_DRIVE_ID: drive.driveId,
      RCLONE_CONFIG_LIBRARY_DRIVE_TYPE: 'documentLibrary',
      RCLONE_CONFIG_LIBRARY_TOKEN: JSON.stringify(token),
    };
  });
  afterAll(async () => {
    await drive.close();
    proxy.close();
    proxy.closeAllConnections();
  });

  const rclone = async (...args: string[]) => {
    const flags = ['--ca-cert', drive.certificatePath, '--retries', '1', '--low-level-retries', '2'];
    return promisify(execFile)(program, [...flags, ...args], { env: environment });
  };

  test('folders and empty files', async () => {
    await rclone('mkdir', 'library:Ämter/Ein Ordner #1 100% +');
    await rclone('touch', 'library:Ämter/leer.txt');
    const { stdout } = await rclone('lsf', '-R', 'library:Ämter');
    expect(stdout.split('\n').filter(Boolean).sort()).toEqual(['Ein Ordner #1 100% +/', 'leer.txt']);
    await rclone('rmdir', 'library:Ämter/Ein Ordner #1 100% +');
    await expect(rclone('rmdir', 'library:Ämter')).rejects.toThrow('directory not empty');
  });

  test('an upload that sends the token is rejected, as by the real service', async () => {
    await writeFile(join(directory, 'geheim.txt'), 'geheim');
    const upload = rclone('copy', join(directory, 'geheim.txt'), 'library:');
    await expect(upload).rejects.toThrow(/unauthenticated/i);
    await expect(drive.admin('GET', '/items')).resolves.not.toContainEqual(
      expect.objectContaining({ path: '/geheim.txt' }),
    );
    // rclone's DELETE sends the token too (fixed in 2026), so the session remains until it expires.
    await expect(drive.admin('GET', '/sessions')).resolves.toMatchObject([{ path: '/geheim.txt' }]);
    await drive.admin('DELETE', '/sessions');
  });

  test('a tree is uploaded in fragments, checked by hash, renamed and downloaded', async () => {
    await drive.admin('PATCH', '/settings', { authorizationOnContentHost: 'ignore' });
    const source = join(directory, 'source');
    await mkdir(join(source, 'Größe'), { recursive: true });
    const files = {
      'eins.txt': Buffer.from('1'),
      // Sizes around the hash's 160-byte block and the fragment, and one of several fragments.
      'Größe/159.bin': Buffer.alloc(159, 'abc'),
      'Größe/161.bin': Buffer.alloc(161, 'abc'),
      'Größe/fragmente.bin': Buffer.alloc(3 * 320 * 1024 + 7, 'Zeile\n'),
    };
    for (const [name, bytes] of Object.entries(files)) {
      await writeFile(join(source, name), bytes);
      await utimes(join(source, name), 1_700_000_000, 1_700_000_000);
    }
    await rclone('copy', source, 'library:Baum', '--onedrive-chunk-size', '320k');
    await rclone('check', source, 'library:Baum');
    await rclone('moveto', 'library:Baum/Größe', 'library:Baum/Maße');
    await rclone('copy', 'library:Baum/Maße', join(directory, 'back'));
    const back = await readFile(join(directory, 'back', 'fragmente.bin'));
    expect(back.equals(files['Größe/fragmente.bin'])).toBe(true);
    // fileSystemInfo preserves modification times, so nothing differs and nothing is sent again.
    await rclone('moveto', 'library:Baum/Maße', 'library:Baum/Größe');
    await drive.admin('DELETE', '/requests');
    await rclone('copy', source, 'library:Baum');
    const requests: { method: string }[] = await drive.admin('GET', '/requests');
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    await expect(drive.admin('GET', '/sessions')).resolves.toEqual([]);
  });

  test('a deleted tree is gone', async () => {
    await rclone('purge', 'library:Baum');
    await expect(rclone('lsf', 'library:Baum')).rejects.toThrow('directory not found');
  });
});

/** Connects graph.microsoft.com to the stand-in, and no other host. */
function connectProxy(port: number): Promise<Server> {
  const proxy = createServer().on('connect', (req, client) => {
    if (req.url !== 'graph.microsoft.com:443') {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  return new Promise((resolve) => proxy.listen(0, '127.0.0.1', () => resolve(proxy)));
}
