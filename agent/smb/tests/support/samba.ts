import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Samba, type SambaOptions } from '../samba/samba.ts';

/** Starts a Samba whose shares and logs remain in the temporary folder of the test file, and are kept with it. */
export async function startSamba(options: SambaOptions = {}): Promise<Samba> {
  return Samba.start({ folder: await mkdtemp(join(tmpdir(), 'samba-')), ...options });
}
