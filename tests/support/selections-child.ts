// Prints the test files that `vitest related` selects for each file that it is told, by file. `npm run test:changed` selects
// in the same way, for the files that Git lists.
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import { withSlashes } from '../../local/repository-files.ts';
import { repositoryRoot } from '../../local/repository-root.ts';

const config = join(repositoryRoot, 'tests/vitest.config.ts');
const vitest = await createVitest('test', { config, watch: false, related: [], reporters: [] });
const selected: Record<string, string[]> = {};
for (const file of process.argv.slice(2)) {
  vitest.config.related = [join(repositoryRoot, file)];
  const specifications = await vitest.getRelevantTestSpecifications();
  selected[file] = specifications.map(({ moduleId }) =>
    moduleId
      .slice(`${withSlashes(repositoryRoot)}/`.length)
      .replace(/^tests\//, '')
      .replace('.test.ts', ''),
  );
}
await vitest.close();
process.stdout.write(JSON.stringify(selected));
