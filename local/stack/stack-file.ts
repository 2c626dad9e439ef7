import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../../release/repository-root.ts';
import type { people } from '../stand-ins/identity-provider/identity-provider.ts';

/** `.local/stack.json` describes the running stack for programs. It contains tokens, so only its owner can read it. */
export interface StackDescription {
  /** Without `/api/v1`. */
  baseUrl: string;
  /** Of the sample people, and of a system of record. */
  tokens: Record<keyof typeof people | 'recordsSync', string>;
  /** The running agent first, a spare second. */
  agents: { id: string; key: string }[];
  tables: { connectionString: string };
  share: {
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
  identityProvider: { url: string; tenantId: string; clientId: string; clientSecret: string };
  aiProvider: { url: string; adminUrl: string; key: string };
  /** PEM file of the authority whose certificates identity provider and library have. */
  caCertificate: string;
  /** How a page of `--front-end-origin` signs users in. */
  signIn: {
    /** For browsers, which do not trust the certificate of `authorityHttps`, unless caCertificate is installed. */
    authority: string;
    authorityHttps: string;
    clientId: string;
    scope: string;
    /** Every address below these origins. */
    redirectUris: string[];
  };
  /** Of the sample records. */
  samples: { projectId: string; contactId: string };
}

/** Directory of stack.json and the logs: `.local`, or LOCAL_STACK_DIRECTORY if several stacks run at the same time. */
export const stackDirectory = process.env['LOCAL_STACK_DIRECTORY'] ?? join(repositoryRoot, '.local');
export const stackFile = join(stackDirectory, 'stack.json');
/** The same for people: shell variables to `source`. */
export const shellFile = join(stackDirectory, 'stack.sh');

export const writeStackFile = (path: string, description: StackDescription): Promise<void> =>
  writeForOwner(path, `${JSON.stringify(description, null, 2)}\n`);

/** Replaces the file atomically; only its owner can read it. */
export async function writeForOwner(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
