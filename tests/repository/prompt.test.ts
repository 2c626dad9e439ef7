import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hiddenNames } from '../../lib/activities/text/names/hidden-names.ts';
import { promptFor } from '../../lib/activities/text/prompt.ts';
import { tones, type WritingTask } from '../../lib/activities/text/task/writing-task.ts';

const contact = {
  id: 'c',
  company: 'Bau GmbH',
  title: 'Frau',
  firstName: 'Anna',
  lastName: 'Weber',
  street: 'Hauptstraße',
  houseNumber: '1',
  zip: '24103',
  city: 'Kiel',
  email: 'a@bau.example',
  updatedAt: '2026-11-20T10:00:00.000Z',
};
const project = { id: 'p', number: 'P-1', name: 'Kita', updatedAt: contact.updatedAt };

const tasks: WritingTask[] = (['Email', 'Document'] as const).flatMap((activityType) =>
  ['', 'Jörg Schäfer'].flatMap((sender) =>
    ['de', 'en', 'fr'].flatMap((language) =>
      [{}, { hint: 'kürzer' }, { previous: { subject: 'x', content: 'y' }, hint: 'z' }].flatMap((revision) =>
        tones.map((tone) => ({
          activityType,
          sender,
          language,
          description: 'x',
          contact,
          project,
          date: '2026-11-20',
          houseStyle: tone === 'brief' ? 'Kurze Sätze.' : '',
          tone,
          ...revision,
        })),
      ),
    ),
  ),
);
const prompts = tasks.map(promptFor);

const readme = readFileSync(join(import.meta.dirname, '../../lib/activities/README.md'), 'utf8');
const section = (title: string): string => readme.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

test('the README lists every field that the provider receives, and no other', () => {
  const fields = prompts.flatMap((messages) =>
    Object.keys(JSON.parse(messages[1]?.content ?? '{}') as object),
  );
  const shown = [...section('What the provider receives').matchAll(/^\| `(\w+)`, `(\w+)` \|/gm)];
  expect(new Set(shown.flatMap(([, german, other]) => [german, other]))).toEqual(new Set(fields));
});

test('the provider receives no other data of the contact, the project, or the user', () => {
  for (const messages of prompts) {
    expect(messages).toHaveLength(2);
    expect(JSON.stringify(messages)).not.toMatch(/Hauptstraße|24103|Kiel|bau\.example|"id"|updatedAt/);
  }
});

test.each([
  ['Kochbau', 'Koch'],
  ['Sabine Lehmann hat angerufen', 'Weber'],
  ['Bauleitung Schmitz', 'Weber'],
  ['zu lang', 'Lang'],
  ['zu klein', 'Klein'],
])('an exception of the README reaches the provider: %s', (description, lastName) => {
  const { task: sent } = hiddenNames({ ...tasks[0]!, description, contact: { ...contact, lastName } });
  expect(sent.description).toBe(description);
  expect(section('What the provider receives')).toContain(`\`${description.replace('zu ', '')}`);
});
