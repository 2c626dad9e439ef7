import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { seedProjectTemplate } from './project-template.ts';
import { EmbeddedServer } from '../../agent/smb/tests/embedded/server.ts';
import { has, installCommand } from '../../agent/smb/tests/support/needs.ts';
import { Samba } from '../../agent/smb/tests/samba/samba.ts';
import type { StackDescription } from './stack-file.ts';

const rootFolder = 'Projekte';
const templateFolder = 'Projektvorlage';

export interface LocalFileServer {
  share: StackDescription['share'];
  /** Local paths of the two directories. */
  rootDirectory: string;
  templateDirectory: string;
  /** Which program it is and why, in a few words. */
  program: string;
  stop(): Promise<void>;
}

/** `any`: Samba where it is installed, otherwise a server of this process. */
export type FileServerChoice = 'any' | 'samba';

/** @throws Error that names the command to run if Samba is demanded and missing */
export function requireFileServer(choice: FileServerChoice): void {
  if (choice === 'samba' && !has('samba'))
    throw new Error(`--samba: this machine lacks Samba; on Debian: ${installCommand(['samba'])}`);
}

/**
 * The project share and the seeded template share.
 *
 * @throws Error that names the command to run if Samba is demanded and missing
 */
export async function startFileServer(folder: string, choice: FileServerChoice): Promise<LocalFileServer> {
  requireFileServer(choice);
  const isSamba = has('samba');
  const server = isSamba ? await Samba.start({ folder }) : await EmbeddedServer.start({ folder });
  const rootDirectory = join(server.projectFolder, rootFolder);
  const templateDirectory = join(server.templateFolder, templateFolder);
  await mkdir(rootDirectory, { recursive: true });
  await seedProjectTemplate(templateDirectory);
  const unc = (...names: string[]) => `\\\\${[server.host, ...names].join('\\')}`;
  return {
    share: {
      server: server.host,
      port: server.port,
      share: server.projectShare,
      templateShare: server.templateShare,
      username: server.account.user,
      password: server.account.password,
      rootPath: unc(server.projectShare, rootFolder),
      templatePath: unc(server.templateShare, templateFolder),
    },
    rootDirectory,
    templateDirectory,
    program: isSamba ? 'Samba, as it is installed' : 'embedded, as Samba is not installed',
    stop: () => server.stop(),
  };
}
