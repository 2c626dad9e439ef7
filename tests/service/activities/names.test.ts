import { expect, test } from 'vitest';
import { service, useWorld, world } from './use-world.ts';
import { joerg } from './world.ts';

useWorld(() => ({ AI_SEND_NAMES: 'false' }));

const description =
  'Frau Webers Bitte: Abnahme mit anna.weber@bau.example abstimmen, WEBER und frau weber anrufen. Schäfer kommt mit.';
const names = /weber|anna|schäfer|schaefer|jörg|@bau\.example/i;

/** The received requests, including headers. */
const received = async (): Promise<string[]> =>
  (await world.prompts()).map((request) => JSON.stringify(request));

test.each(['Email', 'Document'])(
  '%s: the provider receives no name, and the text contains all of them',
  async (activityType) => {
    const projectId = await service.project('EFH-Weber-7', 'Haus Weber');
    const contactId = await service.contact({ company: 'Weber & Söhne GmbH' });
    const { status, body } = await service.generate({ activityType, contactId, projectId, description });

    expect(status).toBe(200);
    expect(body.warnings).toEqual([]);
    const requests = await received();
    expect(requests).toHaveLength(1);
    for (const request of requests) expect(request).not.toMatch(names);
    expect(body.content).toMatch(/^Sehr geehrte Frau Dr\. Weber,\n/);
    expect(body.content).toContain(
      'das Projekt EFH-Weber-7 Haus Weber: Frau Webers Bitte: Abnahme mit anna.weber@bau.example abstimmen, WEBER und frau weber anrufen. Schäfer kommt mit.',
    );
    expect(body.subject).toContain('Frau Webers Bitte');
    if (activityType === 'Email') expect(body.content).toMatch(/Mit freundlichen Grüßen\nJörg Schäfer$/);
  },
);

test.each(['no-salutation', 'gap-left', 'altered-name'])(
  'a regeneration because of %s sends no name to the provider, and the warning shows the real name',
  async (outcome) => {
    await world.next({ always: outcome });
    const { body } = await service.email({ description });
    const requests = await received();
    expect(requests).toHaveLength(2);
    for (const request of requests) expect(request).not.toMatch(names);
    expect(body.warnings).not.toHaveLength(0);
    const messages = JSON.stringify(body.warnings);
    if (outcome === 'no-salutation') expect(messages).toContain('Sehr geehrte Frau Dr. Weber,');
  },
);

test('a misspelled pseudonym causes a regeneration, then a warning that quotes it', async () => {
  await world.next(['altered-name', 'ok']);
  expect((await service.email({ description })).body.warnings).toEqual([]);

  await world.next({ always: 'altered-name' });
  const { body } = await service.email({ description });
  const [, misspelled = ''] = /Frau Dr\. (\p{L}+),/u.exec(body.content) ?? [];
  expect(body.warnings).toContainEqual({
    code: 'name_altered',
    message: expect.stringContaining(misspelled),
    excerpt: misspelled,
  });
});

test('the place of what follows from the order is that in the text with names', async () => {
  await world.next(['calculated-figure']);
  const { body } = await service.email({ description: `${description} 6.200 netto, plus 19 %` });
  const { derived, subject, content } = body;
  const [gross] = derived;
  expect(gross).toEqual({ excerpt: '7.378,00 EUR', from: '6.200 + 19 %', start: expect.any(Number) });
  expect(`${subject}\n${content}`.slice(gross.start)).toMatch(/^7\.378,00 EUR/);
});

test('no name is logged', async () => {
  world.lines.length = 0;
  await world.next({ always: 'altered-name' });
  await service.email({ description });
  expect(world.lines.join('\n')).toContain('text_regenerated');
  expect(world.lines.join('\n')).not.toMatch(names);
});

test('the provider receives no name for an English text', async () => {
  const { body } = await service.email({ description: "Confirm Anna Weber's appointment", language: 'en' });
  for (const request of await received()) expect(request).not.toMatch(names);
  expect(body.content).toMatch(/^Dear Dr\. Weber,\n/);
  expect(body.content).toContain("Anna Weber's appointment");
});

test('by default the provider receives names', async () => {
  const withDefaults = await world.service();
  await withDefaults.email({ description });
  const [request] = await received();
  expect(request).toContain('Sehr geehrte Frau Dr. Weber,');
  expect(request).toContain(joerg.name);
});
