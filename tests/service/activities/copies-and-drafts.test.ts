import { beforeAll, describe, expect, test } from 'vitest';
import { paragraphsOf } from '../../support/word-file.ts';
import { codesOf, downloaded, service, useWorld, world } from './use-world.ts';
import { joerg } from './world.ts';

useWorld(({ drive: { siteId, driveId } }) => ({
  DOCLIB_SITE_ID: siteId,
  DOCLIB_DRIVE_ID: driveId,
  MAIL_DRAFTS: 'true',
}));

const edited = {
  subject: 'Abnahme am 12.01.2027',
  content: 'Sehr geehrte Frau Dr. Weber,\n\nwir kommen am 12.01.2027.\n\nMit freundlichen Grüßen',
};
const fileName = /^\d{4}-\d\d-\d\d_Bau & Söhne GmbH_Abnahme am 12\.01\.2027(?: \d)?\.docx$/;
const drafts = (): Promise<Record<string, unknown>[]> => world.drive.admin('GET', '/drafts');

async function order(changes: object = {}): Promise<Record<string, unknown>> {
  const projectId = await service.project(`P-${crypto.randomUUID().slice(0, 8)}`, 'Gaarden');
  return { contactId: await service.contact(), projectId, fileIn: '07_Protokolle', ...edited, ...changes };
}

async function documentsOf(projectId: unknown) {
  const { items } = await service.services.documentRecords.list(String(projectId), { limit: 50 });
  return items;
}

interface Letter {
  readonly letterId: string;
  readonly letterTag: string;
  readonly copy?: { readonly id: string };
}

const replacing = (given: object, letter: Letter) =>
  service.request('letters', { ...given, content: 'Von Hand', replaces: replacesOf(letter) });

const replacesOf = (letter: Letter) => ({
  letterId: letter.letterId,
  letterTag: letter.letterTag,
  ...(letter.copy && { documentId: letter.copy.id }),
});

interface SeenItem {
  readonly id: string;
  readonly path: string;
  readonly version: number;
}

const allItems = (): Promise<SeenItem[]> => world.drive.admin('GET', '/items');
const itemOf = async (wanted: string) => (await allItems()).find(({ id }) => id === wanted);
const lettersInLibraries = async (): Promise<SeenItem[]> =>
  (await allItems()).filter(({ path }) => path.endsWith('.docx'));
const itemAt = async (wanted: string) => (await allItems()).find(({ path }) => path === wanted);
/** The letters in the folder of the project. */
const projectCopies = async ({ projectId }: Record<string, unknown>): Promise<SeenItem[]> => {
  const { number } = await service.services.projects.get(String(projectId));
  return (await lettersInLibraries()).filter(({ path }) => path.includes(`/${number}_`));
};

describe('a copy of a letter in the project', () => {
  test('is a document with a record, and the OneDrive has the letter', async () => {
    const given = await order();
    const { status, body } = await service.request('letters', given);
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
        'copy',
        'warnings',
      ],
    ]);
    const [document, ...others] = await documentsOf(given['projectId']);
    expect(others).toEqual([]);
    expect(document).toMatchObject({
      folderName: '07_Protokolle',
      fileName: expect.stringMatching(fileName),
      uploadedByUserId: joerg.oid,
      contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    });
    const letters: { path: string; size: number }[] = (await world.drive.admin('GET', '/items')).filter(
      ({ path }: { path: string }) => fileName.test(path.split('/').at(-1)!),
    );
    expect(letters.map(({ path }) => path.split('/').at(-2)!).toSorted()).toEqual([
      '07_Protokolle',
      'Aktivitäten',
    ]);
    expect(new Set(letters.map(({ size }) => size))).toEqual(new Set([document?.size]));
  });

  test('of a second letter with the same name has a name of its own', async () => {
    const given = await order();
    await service.request('letters', given);
    await service.request('letters', given);
    const names = (await documentsOf(given['projectId'])).map((each) => each.fileName);
    expect(new Set(names).size).toBe(2);
  });

  test('is replaced by the next letter of the text, as is the letter in the OneDrive; both keep their names', async () => {
    const given = await order();
    const { body: first } = await service.request('letters', given);
    const before = await lettersInLibraries();
    const { status, body: second } = await service.request('letters', {
      ...given,
      content: edited.content.replace('kommen', 'erscheinen'),
      subject: 'Neuer Termin',
      replaces: replacesOf(first),
    });
    expect([status, second.hasReplaced, second.letterId, second.copy]).toEqual([
      201,
      true,
      first.letterId,
      first.copy,
    ]);
    const after = await lettersInLibraries();
    expect(after.map(({ id, path }) => [id, path])).toEqual(before.map(({ id, path }) => [id, path]));
    // The letter in the OneDrive and its copy in the project are new versions of their items.
    expect(after.filter(({ version }, at) => version > before[at]!.version)).toHaveLength(2);
    expect(paragraphsOf(await downloaded(second.downloadUrl)).join()).toContain('erscheinen');
    expect((await documentsOf(given['projectId'])).map(({ id }) => id)).toEqual([first.copy.id]);
  });

  test('of a letter that was not filed at first is filed with the same letter', async () => {
    const given = await order();
    const { body: first } = await service.request('letters', { ...given, fileIn: undefined });
    expect(first.copy).toBeUndefined();
    const { body: second } = await service.request('letters', { ...given, replaces: replacesOf(first) });
    expect([second.letterId, second.copy.folderName]).toEqual([first.letterId, '07_Protokolle']);
    expect(second.copy.webUrl).toMatch(/^https:/);
  });

  test.each([
    // Another content is all that the service sees of a change in Word.
    ['has another content', (given: object, first: Letter) => replacing(given, first)],
    [
      'was deleted',
      (_given: object, { letterId }: Letter) => world.drive.admin('DELETE', `/items/${letterId}`),
    ],
  ])('whose letter %s by now remains as it is: the next one is beside it', async (_what, change) => {
    const given = await order({ fileIn: undefined });
    const { body: first } = await service.request('letters', given);
    await change(given, first as Letter);
    const before = await itemOf(first.letterId);
    const { body: second } = await service.request('letters', { ...given, replaces: replacesOf(first) });
    expect([second.hasReplaced, second.letterId === first.letterId]).toEqual([false, false]);
    expect(await itemOf(first.letterId)).toEqual(before);
  });

  test('whose letter is open in Word remains as it is: the next one is beside it', async () => {
    const given = await order({ fileIn: undefined });
    const { body: first } = await service.request('letters', given);
    const before = await itemOf(first.letterId);
    // Graph rejects the new content of a file that is open in an editor.
    const isContent = { method: 'PUT', url: `/items/${first.letterId}/content` };
    await world.drive.fault({ kind: 'error', status: 423, code: 'resourceLocked' }, isContent);
    const { status, body: second } = await service.request('letters', {
      ...given,
      replaces: replacesOf(first),
    });
    expect([status, second.hasReplaced, second.letterId === first.letterId]).toEqual([201, false, false]);
    expect(await itemOf(first.letterId)).toEqual(before);
  });

  test('that was deleted in the project is stored again', async () => {
    const given = await order();
    const { body: first } = await service.request('letters', given);
    await world.drive.admin('DELETE', `/items/${(await projectCopies(given))[0]!.id}`);
    const { status, body: second } = await service.request('letters', {
      ...given,
      replaces: replacesOf(first),
    });
    expect([status, second.hasReplaced, second.copy?.folderName]).toEqual([201, true, '07_Protokolle']);
    expect(second.copy.id).not.toBe(first.copy.id);
  });

  test('of another user, project, or folder is not replaced', async () => {
    const given = await order();
    const { body: first } = await service.request('letters', given);
    const other = await order();
    const colleague = { ...joerg, oid: crypto.randomUUID() };
    for (const [changes, user] of [
      [{ projectId: other['projectId'] }, joerg],
      [{ fileIn: '05_Verträge' }, joerg],
      [{}, colleague],
    ] as const) {
      const body = { ...given, ...changes, replaces: replacesOf(first) };
      const { body: second } = await service.request('letters', body, user);
      expect(second.copy.id).not.toBe(first.copy.id);
    }
    expect((await documentsOf(given['projectId'])).map(({ id }) => id)).toContain(first.copy.id);
  });

  test.each([
    ['a colleague has changed', { modifiedBy: { id: crypto.randomUUID(), displayName: 'Anna' } }],
    ['has another name, while another file has its own,', { name: 'Umbenannt.docx' }],
    ['lies in another folder, while another file has its place,', { folderName: '05_Verträge' }],
  ])('that %s is not replaced: the next one is beside it', async (_what, change) => {
    const given = await order();
    const { body: first } = await service.request('letters', given);
    const { id, path } = (await projectCopies(given))[0]!;
    const [folderPath, name] = [path.slice(0, path.lastIndexOf('/')), path.split('/').at(-1)!];
    if ('folderName' in change) {
      const other = await itemAt(folderPath.replace('07_Protokolle', change.folderName));
      await world.drive.admin('PATCH', `/items/${id}`, { parentId: other!.id });
    } else {
      await world.drive.admin('PATCH', `/items/${id}`, change);
    }
    if (!('modifiedBy' in change)) {
      await world.drive.admin('POST', `/items/${(await itemAt(folderPath))!.id}`, { names: [name] });
    }
    const before = await projectCopies(given);
    const { body: second } = await service.request('letters', { ...given, replaces: replacesOf(first) });
    expect(second.copy.id).not.toBe(first.copy.id);
    const after = await projectCopies(given);
    expect(after).toHaveLength(before.length + 1);
    expect(after).toEqual(expect.arrayContaining(before));
  });

  test('is made by generate as well', async () => {
    const { subject: _subject, content: _content, ...given } = await order({ fileIn: '05_Verträge' });
    expect((await service.letter(given)).status).toBe(200);
    expect((await documentsOf(given['projectId'])).map((each) => each.folderName)).toEqual(['05_Verträge']);
  });

  test('that the library rejects is a warning with its folder, and the letter is stored', async () => {
    const given = await order();
    await world.drive.admin('PATCH', '/settings', { access: { [joerg.oid]: 'none' } });
    const { status, body } = await service.request('letters', given);
    expect([status, codesOf(body)]).toEqual([201, ['copy_missing']]);
    expect(body.warnings[0].message).toContain('07_Protokolle');
    expect(paragraphsOf(await downloaded(body.downloadUrl))).toContain(edited.subject);
    expect(await documentsOf(given['projectId'])).toEqual([]);
    expect(world.lines.join('\n')).toMatch(/letter_incomplete.*copy_missing/s);
  });

  test.each([
    ['an unknown folder', { fileIn: '09_Sonstiges' }, 'unknown_folder', 'body.fileIn'],
    ['no project', { projectId: undefined }, 'invalid_request', 'body.fileIn'],
  ])('with %s is rejected before anything is stored', async (_what, changes, code, path) => {
    const { status, body } = await service.request('letters', await order(changes));
    expect([status, body.code, body.errors[0].path]).toEqual([400, code, path]);
    expect(await world.drive.admin('GET', '/requests')).toEqual([]);
  });

  test('needs a role of documents, before the provider is called', async () => {
    const onlyActivities = { ...joerg, roles: ['canCreateActivities'] };
    const { subject: _subject, content: _content, ...toWrite } = await order();
    for (const [path, body] of [
      ['letters', await order()],
      ['generate', { activityType: 'Document', description: 'Abnahme', ...toWrite }],
    ] as const) {
      const answer = await service.request(path, body, onlyActivities);
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
      expect(answer.body.detail).toContain('fileIn');
    }
    expect(await world.prompts()).toEqual([]);
  });

  test('without a library is rejected before the provider is called', async () => {
    const without = await world.service();
    const { subject: _subject, content: _content, ...given } = await order();
    const { status, body } = await without.letter(given);
    expect([status, body.code]).toEqual([503, 'not_configured']);
    expect(body.detail).toContain('DOCLIB_DRIVE_ID');
    expect(await world.prompts()).toEqual([]);
  });
});

describe('a letter as PDF', () => {
  test('has a URL that returns it without a token', async () => {
    const { status, body } = await service.request('letters', await order({ fileIn: undefined, pdf: true }));
    expect([status, codesOf(body)]).toEqual([201, []]);
    const pdf = await fetch(body.pdfUrl);
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(await pdf.text()).toContain(edited.subject);
    const requests: { method: string; path: string }[] = await world.drive.admin('GET', '/requests');
    expect(requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/content'))).toHaveLength(
      1,
    );
    expect((await service.letter({ pdf: true })).body.pdfUrl).toMatch(/^https:/);
  });

  test('survives the page that SharePoint shows callers it throttles', async () => {
    await world.drive.fault({ kind: 'throttle-page' }, { url: 'format=pdf' });
    const { body } = await service.request('letters', await order({ fileIn: undefined, pdf: true }));
    expect(body.pdfUrl).toContain('/transform/pdf');
    expect(codesOf(body)).toEqual([]);
  });

  test.each([
    ['is not converted', { kind: 'error', status: 406, code: 'notSupported' }],
    ['leads to that page again and again', { kind: 'throttle-page' }],
    [
      'leads to the page of a blocked tenant',
      { kind: 'throttle-page', page: '/_layouts/15/FraudThrottle.htm' },
    ],
    ['leads to a sign-in', { kind: 'throttle-page', page: '/_layouts/15/AccessDenied.aspx?Source=x' }],
  ])('that %s is a warning', async (_what, fault) => {
    await world.drive.fault(fault, { url: 'format=pdf', times: null });
    const { status, body } = await service.request('letters', await order({ fileIn: undefined, pdf: true }));
    expect([status, codesOf(body), Object.keys(body)]).toEqual([
      201,
      ['pdf_missing'],
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
  });
});

describe('an email as a draft', () => {
  const links = async (changes: object = {}) => {
    const content = `${edited.content}\nJörg Schäfer`;
    return service.request('emails', {
      contactId: await service.contact(),
      ...edited,
      content,
      draft: true,
      ...changes,
    });
  };

  test('requires consent, without which the provider is not called and letters still work', async () => {
    const { status, body } = await service.email({ draft: true });
    expect([status, body.code]).toEqual([403, 'consent_missing']);
    expect(body.detail).toContain('Mail.ReadWrite');
    expect(await world.prompts()).toEqual([]);
    expect((await service.letter()).status).toBe(200);
  });

  describe('with consent', () => {
    beforeAll(() => world.identity.consent('Mail.ReadWrite'));

    test('is in the mailbox of the caller, with the prefix of the service', async () => {
      const { status, body } = await links();
      expect([status, Object.keys(body)]).toEqual([
        201,
        ['activityType', 'subject', 'content', 'mailtoLink', 'webLink', 'warnings'],
      ]);
      const [draft] = await drafts();
      expect(draft).toMatchObject({
        userId: joerg.oid,
        subject: `aai#${edited.subject}`,
        body: { contentType: 'Text', content: body.content },
        toRecipients: [{ emailAddress: { address: 'anna.weber@xn--bau-shne-r4a.de' } }],
      });
      expect(new URL(body.webLink).searchParams.get('ItemID')).toBe(draft?.['id']);
    });

    test('is made by generate as well, and a text too long for a link has no warning', async () => {
      const long = ` ${'Baustellenbesichtigungstermine '.repeat(60).trim()}.\n`;
      const content = `${edited.content.replace('.\n', `.${long}`)}\nJörg Schäfer`;
      await world.write({ subject: 'Abnahme', content });
      const { status, body } = await service.email({ draft: true, description: edited.content });
      expect([status, codesOf(body)]).toEqual([200, []]);
      expect(body.mailtoLink.length).toBeGreaterThan(2000);
      expect((await drafts()).map((each) => each['subject'])).toEqual(['aai#Abnahme']);
      expect(codesOf((await service.email({ description: edited.content })).body)).toEqual([
        'mailto_link_too_long',
      ]);
    });

    test.each([
      [
        'without a mailbox',
        { unlicensed: [joerg.oid] },
        undefined,
        [502, 'library_error'],
        'Exchange Online',
      ],
      [
        'with a policy against it',
        {},
        { status: 403, code: 'ErrorAccessDenied' },
        [403, 'consent_missing'],
        'policy',
      ],
      [
        'of which the quota is used up',
        {},
        { status: 403, code: 'ErrorQuotaExceeded' },
        [507, 'library_full'],
        'quota of the mailbox',
      ],
      [
        'that does not take the recipient',
        {},
        { status: 400, code: 'ErrorInvalidRecipients' },
        [502, 'library_error'],
        'email address of the contact',
      ],
      [
        'for a reason of its own',
        {},
        { status: 400, code: 'ErrorInvalidRequest' },
        [502, 'library_error'],
        'rejected the request with status 400',
      ],
    ])('%s is a problem that has the text', async (_what, settings, error, expected, detail) => {
      await world.drive.admin('PATCH', '/settings', settings);
      if (error) await world.drive.fault({ kind: 'error', ...error }, { url: '/me/messages' });
      const { status, body } = await service.email({ draft: true });
      expect([status, body.code]).toEqual(expected);
      expect(body.detail).toContain(detail);
      expect(body.content).toMatch(/Abnahme/);
    });

    test('is not created twice when the response is lost', async () => {
      await world.drive.fault({ kind: 'lost-response' }, { url: '/me/messages' });
      const { status, body } = await links();
      expect([status, body.code, body.subject]).toEqual([503, 'library_throttled', edited.subject]);
      expect(await drafts()).toHaveLength(1);
    });
  });

  test('is not configured unless MAIL_DRAFTS is true', async () => {
    const off = await world.service();
    const { status, body } = await off.email({ draft: true });
    expect([status, body.code]).toEqual([503, 'not_configured']);
    expect(body.detail).toContain('MAIL_DRAFTS');
  });
});
