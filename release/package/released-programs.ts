// The programs of all releases. Tests run the agents against the service of today, and the service of today on what the
// earlier ones have stored. The `version` script of `npm version` runs this file, so the commit of a release contains them.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import packageFile from '../../package.json' with { type: 'json' };
import { filesBelow } from '../repository-files.ts';
import { repositoryRoot } from '../repository-root.ts';
import { buildAgent } from '../build/build.ts';
import { packageAgent } from './package-agent.ts';
import { layOutFunctions } from './package-functions.ts';
import { releaseDate } from './release-date.ts';

/** Two archives per release: the agent for machines with Node, byte-equal to the published one, and the service. */
export const releasedPrograms = join(repositoryRoot, 'tests/whole/released');

/** Keeps the contents of the package for Azure without its source maps, and without a console, which store nothing. */
async function keepService(app: string, version: string): Promise<void> {
  const names = (await filesBelow(app)).filter((name) => /^(?:dist\/[^/]+\.js|[^/]+\.json)$/.test(name));
  const file = join(releasedPrograms, `functions-${version}.tar.gz`);
  await create({ cwd: app, file, gzip: { level: 9 }, portable: true, mtime: new Date(releaseDate()) }, names);
}

if (import.meta.main) {
  const work = await mkdtemp(join(tmpdir(), 'released-programs-'));
  await mkdir(releasedPrograms, { recursive: true });
  const { file } = await buildAgent(work);
  const archive = await packageAgent(file, releasedPrograms);
  await rm(`${archive}.sha256`);
  const app = join(work, 'functions');
  await mkdir(app);
  await layOutFunctions(app, { hasConsole: false });
  await keepService(app, packageFile.version);
  await rm(work, { recursive: true });
}
