import { expect, test } from 'vitest';
import { eventLog } from '../../../../lib/base/event-log.ts';
import { Templates } from '../../../../lib/activities/letter/templates.ts';
import { wordFile } from '../../../support/word-file.ts';

const lines: string[] = [];
const line = (text: string): void => void lines.push(text);
const log = eventLog({ info: line, warn: line, error: line });

type Source = ReturnType<ConstructorParameters<typeof Templates>[1]>;
function templateOf(source: Source): () => ReturnType<Templates['template']> {
  const templates = new Templates(new Map([['letter', 'letter.docx']]), () => source);
  return () => templates.template(undefined, 'de', log);
}

test('concurrent requests read and prepare a new template once', async () => {
  const file = wordFile('<w:p><w:r><w:t>{{content}} {city}</w:t></w:r></w:p>');
  let version = 'one';
  let reads = 0;
  const read = async (): Promise<Buffer> => {
    reads += 1;
    return file;
  };
  const template = templateOf(async () => ({ version, bytes: file.length, read }));
  const templates = await Promise.all(Array.from({ length: 20 }, () => template()));
  expect(new Set(templates).size).toBe(1);
  expect(reads).toBe(1);
  expect(lines.map((each) => JSON.parse(each) as object)).toEqual([
    {
      event: 'word_template_finding',
      setting: 'WORD_TEMPLATE_PATH',
      kind: 'kept',
      finding: '{city} is printed as it is: did you mean {{city}}?',
    },
  ]);
  version = 'two';
  expect(await template()).not.toBe(templates[0]);
  expect(reads).toBe(2);
});

test('a template that could not be read is read again; one that is too large is not read', async () => {
  let fails = true;
  let bytes = 10;
  const read = async (): Promise<Buffer> => {
    if (fails) throw new Error('the share is gone');
    return wordFile('<w:p><w:r><w:t>{{content}}</w:t></w:r></w:p>');
  };
  const template = templateOf(async () => ({ version: String(bytes), bytes, read }));
  await expect(template()).rejects.toMatchObject({ code: 'word_template_not_found' });
  fails = false;
  expect((await template()).file.length).toBeGreaterThan(0);
  bytes = 20 * 1024 * 1024;
  fails = true;
  await expect(template()).rejects.toMatchObject({ code: 'word_template_invalid' });
});
