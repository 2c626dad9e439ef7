// Runs test files on request, each time in a new process, and keeps what the runs share: Azurite, built programs, transformed files.
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import { z } from 'zod';
import { repositoryRoot } from '../../../release/repository-root.ts';

const request = z.object({ file: z.string() });

const vitest = await createVitest('test', {
  config: join(repositoryRoot, 'tests/vitest.config.ts'),
  watch: false,
  maxWorkers: 1,
  bail: 1,
  reporters: [{}],
});

async function passes(file: string): Promise<boolean> {
  const path = join(repositoryRoot, file);
  const specifications = vitest.projects
    .filter((project) => project.matchesTestGlob(path))
    .map((project) => project.createSpecification(path));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  return testModules.length > 0 && unhandledErrors.length === 0 && testModules.every((module) => module.ok());
}

process.on('message', (message) => {
  const { file } = request.parse(message);
  const begin = performance.now();
  void passes(file).then((isGreen) => process.send!({ isGreen, tookMs: performance.now() - begin }));
});
process.on('disconnect', () => process.exit());
process.send!({ ready: true });
