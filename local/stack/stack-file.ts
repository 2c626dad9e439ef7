import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { valueOfJson } from '../../lib/contract/json.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { people } from '../stand-ins/identity-provider/people.ts';

const text = z.string();
const persons = Object.keys(people) as (keyof typeof people)[];

const stackDescription = z.object({
  /** Without `/api/v1`. */
  baseUrl: text,
  /** Of the sample people, and of a system of record. */
  tokens: z.record(z.enum([...persons, 'recordsSync']), text),
  /** The running agent first, a spare second. */
  agents: z.array(z.object({ id: text, key: text })),
  tables: z.object({ connectionString: text }),
  share: z.object({
    server: text,
    port: z.number(),
    share: text,
    templateShare: text,
    username: text,
    password: text,
    rootPath: text,
    templatePath: text,
  }),
  library: z.object({ url: text, siteId: text, driveId: text, contentOrigin: text, adminUrl: text }),
  identityProvider: z.object({ url: text, tenantId: text, clientId: text, clientSecret: text }),
  aiProvider: z.object({ url: text, adminUrl: text, key: text }),
  /** PEM file of the authority whose certificates identity provider and library have. */
  caCertificate: text,
  /** How a page of `--front-end-origin` signs users in. */
  signIn: z.object({
    /** For browsers, which do not trust the certificate of `authorityHttps`, unless caCertificate is installed. */
    authority: text,
    authorityHttps: text,
    clientId: text,
    scope: text,
    /** Every address below these origins. */
    redirectUris: z.array(text),
  }),
  /** Of the sample records. */
  samples: z.object({ projectId: text, contactId: text }),
});

/** `.local/stack.json` describes the running stack for programs. It contains tokens, so only its owner can read it. */
export type StackDescription = z.output<typeof stackDescription>;

/** Directory of stack.json and the logs: `.local`, or LOCAL_STACK_DIRECTORY if several stacks run at the same time. */
export const stackDirectory = process.env['LOCAL_STACK_DIRECTORY'] ?? join(repositoryRoot, '.local');
export const stackFile = join(stackDirectory, 'stack.json');
/** The same for people: shell variables to `source`. */
export const shellFile = join(stackDirectory, 'stack.sh');

export const writeStackFile = (path: string, description: StackDescription): Promise<void> =>
  writeForOwner(path, `${JSON.stringify(description, null, 2)}\n`);

/**
 * What describes the running stack.
 *
 * @throws Error with `absent` if none runs, or one of a release with another description
 */
export async function readStackFile(absent: string): Promise<StackDescription> {
  const json = await readFile(stackFile, 'utf8').catch(() => {
    throw new Error(absent);
  });
  const described = stackDescription.safeParse(valueOfJson(json));
  if (!described.success) throw new Error(`${stackFile} is of another release: start npm start again.`);
  return described.data;
}

/** Replaces the file atomically; only its owner can read it. */
export async function writeForOwner(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
