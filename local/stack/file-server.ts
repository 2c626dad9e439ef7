import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { seedProjectTemplate } from './project-template.ts';
import { EmbeddedServer } from '../../agent/smb/tests/embedded/server.ts';
import { hasPrograms } from '../../agent/smb/tests/samba/samba-programs.ts';
import { Samba } from '../../agent/smb/tests/samba/samba.ts';
import type { StackDescription } from './stack-file.ts';

const rootFolder = 'Projekte';
const templateFolder = 'Projektvorlage';

export interface LocalFileServer {
  share: NonNullable<StackDescription['share']>;
  /** Local paths of the two directories. */
  rootDirectory: string;
  templateDirectory: string;
  /** `Samba`, or what stands in for it. */
  program: string;
  stop(): Promise<void>;
}

/** Samba where it is installed, otherwise a server of this process, with the project share and the seeded template share. */
export async function startFileServer(folder: string): Promise<LocalFileServer> {
  const isInstalled = await hasPrograms(['smbd', 'pdbedit']);
  const samba = isInstalled ? await Samba.start({ folder }) : await EmbeddedServer.start({ folder });
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
    program: isInstalled ? 'Samba' : 'embedded',
    stop: () => samba.stop(),
  };
}
