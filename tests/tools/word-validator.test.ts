import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { fillTemplate, prepareTemplate } from '../../lib/activities/letter/word-template.ts';
import { sampleLetters } from '../../tools/letter-template/sample-letters.ts';
import { letterMoment } from '../support/letter-moment.ts';
import { outsideTemplates, outsideValues } from '../support/outside-templates.ts';
import { vendorHost } from '../support/vendor-tools.ts';
import { wordFile } from '../support/word-file.ts';

/** What Microsoft's validator reports for each file. */
async function errorsOf(validator: string, files: readonly Buffer[]): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'word-validator-'));
  const paths = files.map((_file, index) => join(folder, `${index}.docx`));
  await Promise.all(paths.map((path, index) => writeFile(path, files[index]!)));
  const { stdout } = await promisify(execFile)(validator, ['validate', ...paths]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]);
}

test(
  'the shipped templates and letters made from them have no error',
  { timeout: 180_000 },
  async (context) => {
    const files = await Promise.all(
      ['Briefvorlage', 'Briefvorlage-en'].map(async (name) => {
        const template = await readFile(
          join(import.meta.dirname, `../../tools/letter-template/${name}.docx`),
        );
        const prepared = prepareTemplate(template);
        const letters = Object.values(sampleLetters).map((values) =>
          fillTemplate(prepared, values, { ...letterMoment, language: 'fr' }),
        );
        return [template, ...letters];
      }),
    );
    const found = await errorsOf(vendorHost(context), files.flat());
    expect(found).toEqual(Array.from({ length: 6 }, () => []));
  },
);

test(
  'a letter of a template from outside has no error that the template lacks',
  { timeout: 180_000 },
  async (context) => {
    const files = outsideTemplates.flatMap(({ file }) => [
      file,
      fillTemplate(prepareTemplate(file), outsideValues, letterMoment),
    ]);
    const found = await errorsOf(vendorHost(context), files);
    const worse = outsideTemplates.map(({ name }, index) => {
      const former = new Set(found[2 * index]);
      return [name, found[2 * index + 1]?.filter((error) => !former.has(error))];
    });
    expect(worse).toEqual(outsideTemplates.map(({ name }) => [name, []]));
  },
);

test('an error is found', { timeout: 180_000 }, async (context) => {
  const faulty = wordFile('<w:p><w:r><w:t>x</w:t><w:pPr/></w:r></w:p>');
  expect((await errorsOf(vendorHost(context), [faulty]))[0]).not.toEqual([]);
});
