// Prepares the templates that argv names in a separate process, and prints the result of each and by how much the most memory
// that the process has had is above that of its start.
import { readFileSync } from 'node:fs';
import { InvalidTemplateError } from '../../lib/activities/letter/word/template-rejection.ts';
import { prepareTemplate } from '../../lib/activities/letter/word-template.ts';

const files = process.argv.slice(2).map((path) => readFileSync(path));
// Not `resourceUsage`, whose maximum begins with the memory of the process that started this one.
const usedMiB = (): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
const beforeMiB = usedMiB();

function faultsOf(file: Buffer): readonly { message: string }[] {
  try {
    prepareTemplate(file);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidTemplateError)) throw error;
    return error.faults;
  }
}

const results = files.map((file) => ({
  faults: faultsOf(file).slice(0, 5),
  grownMiB: usedMiB() - beforeMiB,
}));
process.stdout.write(JSON.stringify(results));
