import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fillTemplate } from '../../lib/activities/letter/word-template.ts';
import { sampleLetters } from './sample-letters.ts';
import { reportLines, templateReport } from './template-report.ts';

// Checks a Word template for letters before it is used: npm run check-template -w tools FILE
// Exit codes: 0, the service accepts it; 1, it has faults; 2, the file cannot be read or a sample cannot be written.

const usage = `Usage: npm run check-template -w tools FILE
Prints the placeholders and faults of a Word template (.docx or .dotx) and writes sample letters next to it.`;

const moment = { atMs: Date.now(), timeZone: 'Europe/Berlin', language: 'de' };

async function main(args: readonly string[]): Promise<0 | 1 | 2> {
  const [name] = args;
  if (name === undefined || args.length > 1 || name.startsWith('-')) {
    console.error(usage);
    return 2;
  }
  // npm runs scripts in the folder of package.json; a relative path refers to the user's current directory.
  const path = resolve(process.env['INIT_CWD'] ?? '', name);
  try {
    const report = templateReport(await readFile(path), moment);
    console.log(`${path}\n`);
    for (const line of reportLines(report)) console.log(line);
    if (report.template === null) {
      console.log('The service rejects this template. No sample was written.');
      return 1;
    }
    console.log('The service accepts this template. Check the samples before you upload it:');
    for (const [kind, values] of Object.entries(sampleLetters)) {
      const sample = join(dirname(path), `${basename(path).replace(/\.do[ct]x$/i, '')}-sample-${kind}.docx`);
      await writeFile(sample, fillTemplate(report.template, values, moment));
      console.log(`  ${sample}: ${descriptions[kind as keyof typeof sampleLetters]}`);
    }
    return 0;
  } catch (error) {
    const { code, path: place = path } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    console.error(`${place}: ${reasons[code] ?? code}`);
    return 2;
  }
}

const descriptions: Record<keyof typeof sampleLetters, string> = {
  full: 'every value, a long address, a second page',
  minimal: 'a company, and a sender whose profile cannot be read',
};

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file.',
  EISDIR: 'this is a folder, not a file.',
  EACCES: 'no permission to read or write this file.',
  EPERM: 'no permission to read or write this file.',
  EROFS: 'the samples are written next to the template, and this folder is read-only.',
};

process.exitCode = await main(process.argv.slice(2));
