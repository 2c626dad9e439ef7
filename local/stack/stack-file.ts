import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';
import type { people } from '../stand-ins/identity-provider/identity-provider.ts';

/** `.local/stack.json`: how programs find the running stack. It holds tokens, so only its owner may read it. */
export interface StackDescription {
  /** Without `/api/v1`. */
  baseUrl: string;
  tokens: Record<keyof typeof people, string>;
  /** The running agent first, a spare second. */
  agents: { id: string; key: string }[];
  tables: { connectionString: string };
  /** Absent where no file server could be started. */
  share?: {
    server: string;
    port: number;
    share: string;
    templateShare: string;
    username: string;
    password: string;
    rootPath: string;
    templatePath: string;
  };
  library: { url: string; siteId: string; driveId: string; contentOrigin: string; adminUrl: string };
  aiProvider: { url: string; adminUrl: string };
}

/** Where stack.json and logs go: `.local`, or LOCAL_STACK_DIRECTORY where several stacks run side by side. */
export const stackDirectory = process.env['LOCAL_STACK_DIRECTORY'] ?? join(repositoryRoot, '.local');
export const stackFile = join(stackDirectory, 'stack.json');
/** The same for people: variables for a shell to `source`. */
export const shellFile = join(stackDirectory, 'stack.sh');

export const writeStackFile = (path: string, description: StackDescription): Promise<void> =>
  writeForOwner(path, `${JSON.stringify(description, null, 2)}\n`);

/** Readers see the old file or the new one, never half of it, and nobody else sees either. */
export async function writeForOwner(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
