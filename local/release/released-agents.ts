// The agents of all releases, as operators have them: tests run them against the service of today. The `version` script of
// `npm version` runs this file, so the commit of a release contains its agent.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';
import { buildAgent } from './build.ts';
import { packageAgent } from './package-agent.ts';

/** One archive for machines with Node per release, byte-equal to the published one. */
export const releasedAgents = join(repositoryRoot, 'tests/whole/released');

if (import.meta.main) {
  const work = await mkdtemp(join(tmpdir(), 'released-agents-'));
  const { file } = await buildAgent(work);
  await mkdir(releasedAgents, { recursive: true });
  const archive = await packageAgent(file, releasedAgents);
  await rm(`${archive}.sha256`);
  await rm(work, { recursive: true });
}
