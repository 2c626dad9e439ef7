import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { seedProjectTemplate } from './project-template.ts';
import { Samba } from '../../agent/smb/tests/samba/samba.ts';
import type { StackDescription } from './stack-file.ts';

const rootFolder = 'Projekte';
const templateFolder = 'Projektvorlage';

export interface LocalFileServer {
  share: NonNullable<StackDescription['share']>;
  /** Local paths of the two directories. */
  rootDirectory: string;
  templateDirectory: string;
  stop(): Promise<void>;
}

/**
 * Samba with the project share and the seeded template share.
 *
 * @throws Error that names the command to run if smbd is missing and can't be installed
 */
export async function startFileServer(folder: string): Promise<LocalFileServer> {
  const samba = await Samba.start({ folder });
  const rootDirectory = join(samba.projectFolder, rootFolder);
  const templateDirectory = join(samba.templateFolder, templateFolder);
  await mkdir(rootDirectory, { recursive: true });
  await seedProjectTemplate(templateDirectory);
  const unc = (...names: string[]) => `\\\\${[samba.host, ...names].join('\\')}`;
  return {
    share: {
      server: samba.host,
      port: samba.port,
      share: samba.projectShare,
      templateShare: samba.templateShare,
      username: samba.account.user,
      password: samba.account.password,
      rootPath: unc(samba.projectShare, rootFolder),
      templatePath: unc(samba.templateShare, templateFolder),
    },
    rootDirectory,
    templateDirectory,
    stop: () => samba.stop(),
  };
}
