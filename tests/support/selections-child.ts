// Changes one line in each file that it is told, one after the other, in the Git repository that contains this program.
// Prints the test files that `npm run test:changed` then runs, by changed file.
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import { withSlashes } from '../../local/repository-files.ts';
import { repositoryRoot } from '../../local/repository-root.ts';

const config = join(repositoryRoot, 'tests/vitest.config.ts');
const vitest = await createVitest('test', { config, watch: false, changed: 'HEAD', reporters: [] });
const selected: Record<string, string[]> = {};
for (const file of process.argv.slice(2)) {
  const path = join(repositoryRoot, file);
  const content = await readFile(path);
  await appendFile(path, '\n');
  // As at the start, so that it asks Git again.
  Reflect.deleteProperty(vitest.config, 'related');
  const specifications = await vitest.getRelevantTestSpecifications();
  selected[file] = specifications.map(({ moduleId }) =>
    moduleId
      .slice(`${withSlashes(repositoryRoot)}/`.length)
      .replace(/^tests\//, '')
      .replace('.test.ts', ''),
  );
  await writeFile(path, content);
}
await vitest.close();
process.stdout.write(JSON.stringify(selected));
