import { randomUUID } from 'node:crypto';
import { TableClient } from '@azure/data-tables';
import { describe, expect, test } from 'vitest';
import { azuriteConnectionString } from '../../support/azurite.ts';
import { paragraphsOf } from '../../support/word-file.ts';
import { codesOf, downloaded, letterFile, promptOf, service, useWorld, world } from './use-world.ts';
import { joerg } from './world.ts';

useWorld();

const greeting = 'Sehr geehrte Frau Dr. Weber,';
const edited = {
  subject: 'Abnahme am 12.01.2027',
  content: `${greeting}\n\nwir kommen am 12.01.2027 mit Herrn Petersen.\n\nMit freundlichen Grüßen`,
};
const template = (line: string): Promise<string> => world.template(letterFile(line));
const letterText = async (url: string): Promise<string[]> => paragraphsOf(await downloaded(url));

describe('before a letter is stored', () => {
  test('store: false returns the text and warnings, and touches no drive', async () => {
    const contactId = await service.contact({ city: null });
    const { status, body } = await service.letter({ contactId, store: false });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['activityType', 'subject', 'content', 'warnings']);
    expect(codesOf(body)).toEqual(['address_missing']);
    expect(await world.drive.admin('GET', '/requests')).toEqual([]);
  });

  test('a revision sends the text and what to change, and the details of that text are known', async () => {
    await world.write({
      subject: 'Abnahme',
      content: `${greeting}\n\nwir kommen am 12.01.2027 und bringen 17 Türen.\n\nMit freundlichen Grüßen`,
    });
    const first = await service.letter({ store: false });
    expect(codesOf(first.body)).toEqual(['unknown_figure', 'unknown_figure']);
    await world.prompts();
    const revised = await service.letter({ store: false, previous: edited, hint: 'Nenne die 17 Türen.' });
    expect(codesOf(revised.body)).toEqual([]);
    const { system, data } = await promptOf();
    expect(data).toMatchObject({
      bisherigerText: { betreff: edited.subject, text: edited.content },
      aenderung: 'Nenne die 17 Türen.',
    });
    expect(system).toContain('Überarbeite „bisherigerText“');
  });

  test('AI_SEND_NAMES=false hides the names in the text to revise and in the hint', async () => {
    const hidden = await world.service({ AI_SEND_NAMES: 'false' });
    await hidden.letter({ store: false, previous: edited, hint: 'Frau Weber duldet keinen Verzug.' });
    expect(JSON.stringify((await world.prompts())[0]?.body)).not.toMatch(/Weber|Petersen/);
  });

  test('a tone is a rule of the prompt', async () => {
    await service.email({ tone: 'friendly' });
    expect((await promptOf()).system).toContain('Schreibe freundlich und persönlich');
    await service.email({ tone: 'brief', language: 'en' });
    const { system } = await promptOf();
    expect(system).toContain('polite and as short as possible');
    expect(system).toContain('at most 60 words');
  });
});

describe('an edited text', () => {
  test('becomes a letter without the provider', async () => {
    const without = await world.service({ AI_API_KEY: undefined });
    const { status, body } = await without.request('letters', {
      contactId: await without.contact(),
      ...edited,
    });
    expect([status, Object.keys(body)]).toEqual([
      201,
      [
        'activityType',
        'subject',
        'content',
        'documentUrl',
        'downloadUrl',
        'letterId',
        'letterTag',
        'warnings',
      ],
    ]);
    expect(await letterText(body.downloadUrl)).toEqual(
      expect.arrayContaining([greeting, 'wir kommen am 12.01.2027 mit Herrn Petersen.', edited.subject]),
    );
    expect(await world.prompts()).toEqual([]);
    expect((await without.email()).body.code).toBe('not_configured');
  });

  test('with the same key again is the first letter, whoever else uses the key', async () => {
    const order = { contactId: await service.contact(), ...edited };
    const headers = { 'idempotency-key': randomUUID() };
    const send = (body: object = order, user = joerg) => service.request('letters', body, user, headers);
    const failed = await send({ ...order, contactId: randomUUID() });
    expect(failed.body.code).toBe('contact_not_found');
    const both = await Promise.all([send(), send()]);
    const first = both.find(({ status }) => status === 201)!;
    for (const { status, body } of both)
      expect(status === 201 || body.code === 'request_in_progress').toBe(true);
    await world.drive.admin('DELETE', '/requests');
    expect(await send()).toMatchObject({ status: 201, body: first.body });
    expect(await world.drive.admin('GET', '/requests')).toEqual([]);
    const reused = await send({ ...order, subject: 'Anders' });
    expect([reused.status, reused.body.code]).toEqual([409, 'idempotency_key_reused']);
    const rows = TableClient.fromConnectionString(azuriteConnectionString(), 'ProjectDocuments', {
      allowInsecureConnection: true,
    }).listEntities({
      queryOptions: { filter: `PartitionKey eq 'upload-keys'` },
    });
    for await (const row of rows) expect(JSON.stringify(row)).not.toContain('Petersen');
  });

  test('becomes the links of an email', async () => {
    const content = `${edited.content}\nJörg Schäfer`;
    const { status, body } = await service.request('emails', {
      contactId: await service.contact(),
      ...edited,
      content,
    });
    expect([status, Object.keys(body)]).toEqual([
      200,
      ['activityType', 'subject', 'content', 'mailtoLink', 'warnings'],
    ]);
    const { searchParams } = new URL(body.mailtoLink);
    expect(searchParams.get('subject')).toBe(`aai#${edited.subject}`);
    expect(searchParams.get('body')).toBe(content.replaceAll('\n', '\r\n'));
    expect(await world.prompts()).toEqual([]);
  });

  test('is checked for what is a fault in any text', async () => {
    const contactId = await service.contact({ city: null });
    const content = 'Hallo,\n\nhast du am [Datum] Zeit? 4.711,00 EUR.';
    const letter = await service.request('letters', { contactId, subject: 'x', content });
    expect(codesOf(letter.body)).toEqual([
      'placeholder_left',
      'informal_address',
      'salutation_missing',
      'closing_missing',
      'address_missing',
    ]);
    const email = await service.request('emails', { contactId, subject: 'x', content });
    expect(codesOf(email.body)).toContain('informal_address');
  });

  test.each(['letters', 'emails'])(
    'of an unknown contact, without a text, or without permission: %s',
    async (name) => {
      const contactId = await service.contact();
      const unknown = await service.request(name, { contactId: randomUUID(), ...edited });
      expect(unknown.body.code).toBe('contact_not_found');
      const empty = await service.request(name, { contactId, subject: 'x', content: ' ', more: 1 });
      expect(empty.body.errors.map((each: { path: string }) => each.path)).toEqual([
        'body.content',
        'body.more',
      ]);
      const denied = await service.request(
        name,
        { contactId, ...edited },
        { ...joerg, roles: ['BackOffice'] },
      );
      expect(denied.body.code).toBe('forbidden');
    },
  );

  test('to a contact without an email address has no links', async () => {
    const contactId = await service.contact({ email: null });
    const { body } = await service.request('emails', { contactId, ...edited });
    expect(body.code).toBe('contact_has_no_email');
  });
});

describe('EMAIL_SIGNATURE=full', () => {
  const ending = [
    '\nJörg Schäfer',
    'Schäfer & Partner Ingenieure',
    'Am Kai 5',
    '24105 Kiel',
    'Telefon +49 431 123456',
    'j.schaefer@firma.example',
  ].join('\n');

  test("ends emails with the company's details once, and keeps them from the provider", async () => {
    const full = await world.service({ EMAIL_SIGNATURE: 'full' });
    const { body } = await full.email();
    expect(body.content.endsWith(ending)).toBe(true);
    expect(body.warnings).toEqual([]);
    const text = { subject: body.subject, content: body.content };
    const again = await full.email({ previous: text });
    expect(again.body.content.split('Am Kai 5')).toHaveLength(2);
    expect(JSON.stringify((await world.prompts()).map((each) => each.body))).not.toMatch(/Am Kai|24105/);
    const links = await full.request('emails', { contactId: await full.contact(), ...text });
    expect(links.body.content).toBe(body.content);
    expect(links.body.warnings).toEqual([]);
  });
});

describe('a letter that cannot be stored', () => {
  test('is in the problem, and not in the log', async () => {
    await world.write({
      subject: 'Abnahme',
      content: `${greeting}\n\nwir kommen.\n\nMit freundlichen Grüßen`,
    });
    await world.drive.fault({ kind: 'error', status: 507, code: 'quotaLimitReached' }, { method: 'PUT' });
    const { status, body } = await service.letter();
    expect([status, body.code, body.subject]).toEqual([507, 'library_full', 'Abnahme']);
    expect(body.content).toMatch(/wir kommen\./);
    expect(body.detail).toContain("signed-in user's OneDrive");
    await world.drive.admin('PATCH', '/settings', { unlicensed: [joerg.oid] });
    const unlicensed = await service.request('letters', { contactId: await service.contact(), ...edited });
    await world.drive.admin('DELETE', '/settings');
    expect([unlicensed.status, unlicensed.body.content]).toEqual([502, edited.content]);
    expect(world.lines.join('\n')).not.toMatch(/wir kommen/);
  });

  test('is not in the problem when no text was written', async () => {
    await world.next({ always: 'invalid-key' });
    expect(Object.keys((await service.letter()).body)).not.toContain('content');
  });
});

describe('several templates', () => {
  test('are listed by name, and a letter chooses one', async () => {
    const own = await world.service({
      WORD_TEMPLATE_PATH: await template('Zentrale'),
      WORD_TEMPLATES: `Kiel=${await template('Büro Kiel')}; English = ${await template('Branch')};`,
    });
    const { status, body } = await own.request('templates');
    expect([status, body.items.map((each: { isDefault: boolean }) => each.isDefault)]).toEqual([
      200,
      [true, false, false],
    ]);
    const [standard, ...others] = body.items.map((each: { name: string }) => each.name);
    expect(others).toEqual(['Kiel', 'English']);
    const firstLine = async (changes: object): Promise<string | undefined> =>
      (await letterText((await own.letter({ ...changes })).body.downloadUrl))[0];
    expect(await firstLine({})).toBe('Zentrale');
    expect(await firstLine({ template: standard })).toBe('Zentrale');
    expect(await firstLine({ template: 'English' })).toBe('Branch');
    const letter = await own.request('letters', {
      contactId: await own.contact(),
      ...edited,
      template: 'Kiel',
    });
    expect((await letterText(letter.body.downloadUrl))[0]).toBe('Büro Kiel');
  });

  test('may be named like a language, whose letters have it unless they choose another', async () => {
    const own = await world.service({
      WORD_TEMPLATES: `en=${await template('English')};fr-CH=${await template('Suisse')};Kiel=${await template('Kiel')}`,
    });
    const firstLine = async (changes: object): Promise<string | undefined> =>
      (await letterText((await own.letter({ ...changes })).body.downloadUrl))[0];
    expect(await firstLine({ language: 'en-GB' })).toBe('English');
    expect(await firstLine({ language: 'fr-CH' })).toBe('Suisse');
    expect(await firstLine({ language: 'en', template: 'Kiel' })).toBe('Kiel');
    for (const language of ['de', 'fr'])
      expect(await firstLine({ language })).not.toMatch(/English|Suisse|Kiel/);
  });

  test('an unknown name is rejected with the known ones, and a missing file names its setting', async () => {
    const own = await world.service({ WORD_TEMPLATES: 'Kiel=/nowhere/kiel.docx' });
    const unknown = await own.letter({ template: 'Bonn' });
    expect([unknown.status, unknown.body.code]).toEqual([400, 'invalid_request']);
    expect(unknown.body.detail).toContain('Briefvorlage, Kiel');
    const missing = await own.letter({ template: 'Kiel' });
    expect([missing.status, missing.body.code]).toEqual([500, 'word_template_not_found']);
    expect(missing.body.detail).toContain('WORD_TEMPLATES (Kiel)');
    expect(await world.prompts()).toEqual([]);
  });
});

test('the key of an upload is another than that of a letter or an email, whatever the id of its project', async () => {
  const key = randomUUID();
  for (const scope of ['create-email', 'create-letter', 'generate-activity'])
    await service.services.idempotencyKeys.claim({ userId: joerg.oid, scope, key }, 'Plan.pdf', 'file name');
  const email = { contactId: await service.contact(), subject: 'Abnahme', content: 'Guten Tag' };
  const { status } = await service.request('emails', email, joerg, { 'idempotency-key': key });
  expect(status).toBe(200);
});
