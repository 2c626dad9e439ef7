// Prepares the template that argv names in a separate process, and prints the result and the memory used.
import { readFileSync } from 'node:fs';
import { InvalidTemplateError } from '../../lib/activities/letter/template-rejection.ts';
import { prepareTemplate } from '../../lib/activities/letter/word-template.ts';

const file = readFileSync(process.argv[2] ?? '');
const beforeMiB = process.resourceUsage().maxRSS / 1024;
let faults: readonly { message: string }[] = [];
try {
  prepareTemplate(file);
} catch (error) {
  if (!(error instanceof InvalidTemplateError)) throw error;
  faults = error.faults;
}
process.stdout.write(
  JSON.stringify({ faults: faults.slice(0, 5), grownMiB: process.resourceUsage().maxRSS / 1024 - beforeMiB }),
);
