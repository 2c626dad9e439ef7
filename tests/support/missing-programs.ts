import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule, Vite } from 'vitest/node';
import { installCommand, type NeedName } from '../../agent/smb/tests/support/needs.ts';
import { missingName } from '../../agent/smb/tests/support/requires.ts';
import { runFolder } from '../../agent/smb/tests/support/run-folder.ts';

/** At the end of a run, one summary of what was skipped for missing programs, and how to install them. */
class MissingPrograms implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const list = join(runFolder(), missingName);
    if (!existsSync(list)) return;
    const lines = readFileSync(list, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: NeedName; file: string });
    rmSync(list);
    const files = new Set(lines.map(({ file }) => file));
    const skipped = modules
      .filter(({ moduleId }) => files.has(moduleId))
      .flatMap((module) => [...module.children.allTests('skipped')]).length;
    const names = [...new Set(lines.map(({ name }) => name))];
    process.stderr.write(
      `\n${skipped} tests of ${files.size} files skipped, because this machine lacks: ${names.toSorted().join(', ')}\n`,
    );
    const command = installCommand(names);
    if (command !== undefined) process.stderr.write(`On Debian and Ubuntu: ${command}\n`);
  }
}

const reporter = new MissingPrograms();

/**
 * vitest plugin of each project: adds the summary to the reporters of the run. In the list of the configuration, `--reporter` would
 * replace it. On standard error, because the output can be of a form for programs, such as TAP.
 */
export const missingProgramsSummary: Vite.Plugin = {
  name: 'missing-programs',
  configureVitest({ vitest }) {
    if (!vitest.config.reporters.includes(reporter)) vitest.config.reporters.push(reporter);
  },
};
