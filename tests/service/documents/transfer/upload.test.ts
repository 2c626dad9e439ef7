import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { conflictBehaviors } from '../../../../lib/document-library/conflict-behavior.ts';
import { subfolders } from '../../../../lib/contract/subfolders.ts';
import { people } from '../../../support/document-service.ts';
import { fieldsFor, formOf, sendForm, type Transport } from '../../../support/multipart.ts';
import { useDocuments, sha, twoFragments } from '../support/documents.ts';

const { service, upload: send, warmProject, putByHand, filesOf, list, contentOf } = useDocuments();

// No test may leave anything behind.
afterEach(async () => {
  expect(await service.openSessions()).toEqual([]);
  expect(await service.temporaryFiles()).toEqual([]);
});

const KiB = 1024;
const MiB = 1024 * KiB;

const upload = (
  projectId: string,
  fileName: string,
  content: Uint8Array,
  {
    behavior = 'replace',
    folder = '01_Angebote',
    transport = 'length',
    as = people.projectManager,
    contentType,
  }: {
    behavior?: string;
    folder?: string;
    transport?: Transport;
    as?: any;
    contentType?: string;
  } = {},
) => {
  return send(projectId, content, { name: fileName, folder, behavior, contentType, transport, as });
};

describe.each<Transport>(['length', 'chunked'])('body sent with %s', (transport) => {
  test.each([0, 1, 320 * KiB - 1, 320 * KiB, 320 * KiB + 1, twoFragments + 7])(
    'a file of %i bytes is stored completely, recorded, listed and downloaded',
    async (size) => {
      const project = await service.newProject();
      const content = randomBytes(size);
      const before = Date.now();
      const { status, body, headers } = await upload(project.id, 'Plan.bin', content, { transport });
      expect({ status, body }).toMatchObject({ status: 201 });
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        projectId: project.id,
        folderName: '01_Angebote',
        folderPath: '',
        fileName: 'Plan.bin',
        size,
        contentType: 'application/octet-stream',
        webUrl: expect.stringMatching(/^https:/),
        uploadedByUserId: people.projectManager.oid,
        uploadedByName: people.projectManager.name,
        uploadedAt: expect.any(String),
      });
      expect(Date.parse(body.uploadedAt)).toBeGreaterThanOrEqual(before);
      expect(headers.get('location')).toBe(`/api/v1/documents/${body.id}/download`);
      expect(await list(project.id)).toEqual([body]);
      expect(sha(await contentOf(body.id))).toBe(sha(content));
    },
  );
});

test('with Content-Length and the fields first, the bytes stream: two sequential round trips', async () => {
  const project = await service.newProject();
  await upload(project.id, 'a.bin', randomBytes(1 * MiB));
  await service.admin('PATCH', '/settings', { responseDelayMs: 1000 });
  await service.forgetRequests();
  await upload(project.id, 'a.bin', randomBytes(1 * MiB));
  expect(Math.max(...(await service.requests()).map(({ depth }) => depth))).toBe(2);
  // The session and the check of the old file run in parallel. Only the fragment follows.
  const requests = (await service.requests()).map(({ method, host }) => `${host} ${method}`);
  expect(requests.toSorted()).toEqual(['content PUT', 'graph GET', 'graph POST']);
});

test('every subfolder accepts files, also named in NFD; missing folders are created', async () => {
  const project = await service.newProject();
  for (const folder of subfolders) {
    const { status, body } = await upload(project.id, 'a.txt', Buffer.from(folder), {
      folder: folder.normalize('NFD'),
    });
    expect(status).toBe(201);
    expect(body.folderName).toBe(folder);
  }
  const files = await filesOf(project);
  expect(new Set(files.map(({ path }) => path.split('/').at(-2)))).toEqual(new Set(subfolders));
});

describe('conflicts', () => {
  for (const behavior of conflictBehaviors) {
    for (const hasFile of [true, false]) {
      for (const hasRecord of [true, false]) {
        const title = `${behavior}, ${hasFile ? 'file' : 'no file'}, ${hasRecord ? 'record' : 'no record'}`;
        test(title, async () => {
          const project = await warmProject();
          const old = await upload(project.id, 'Plan.txt', Buffer.from('old'));
          if (!hasRecord) {
            await service.call('DELETE', `/documents/${old.body.id}`);
            if (hasFile) await putByHand(project.folderId, 'Plan.txt');
          } else if (!hasFile) {
            await service.admin('DELETE', `/items/${(await filesOf(project))[0]!.id}`);
          }

          const { status, body } = await upload(project.id, 'Plan.txt', Buffer.from('new!'), { behavior });
          const listed = await list(project.id);
          const files = await filesOf(project);
          if (behavior === 'fail' && hasFile) {
            expect({ status, code: body.code }).toEqual({ status: 409, code: 'file_exists' });
            expect(listed).toHaveLength(hasRecord ? 1 : 0);
            expect(files).toHaveLength(1);
            return;
          }
          expect(status).toBe(201);
          const renamed = behavior === 'rename' && hasFile;
          expect(body.fileName).toBe(renamed ? 'Plan 1.txt' : 'Plan.txt');
          expect(files).toHaveLength(renamed ? 2 : 1);
          // The record of a file that is gone does not remain next to the new one.
          expect(listed).toHaveLength(renamed && hasRecord ? 2 : 1);
          const { replacedUnrecorded, ...document } = body;
          expect(listed[0]).toEqual(document);
          const isUnrecorded = behavior === 'replace' && hasFile && !hasRecord;
          expect(replacedUnrecorded).toBe(isUnrecorded ? true : undefined);
          expect(body.id === old.body.id).toBe(behavior === 'replace' && hasFile && hasRecord);
          expect(Buffer.from(await contentOf(body.id)).toString()).toBe('new!');
        });
      }
    }
  }

  test('replace of a file updates its record: time, size, user, and position in the list', async () => {
    const project = await service.newProject();
    const first = (await upload(project.id, 'A.txt', Buffer.from('1'))).body;
    await upload(project.id, 'B.txt', Buffer.from('2'));
    const again = (await upload(project.id, 'a.TXT', Buffer.from('333'), { as: people.backOffice })).body;
    expect(again).toMatchObject({ id: first.id, size: 3, uploadedByUserId: people.backOffice.oid });
    const listed = await list(project.id);
    expect(listed.map(({ id }) => id)[0]).toBe(first.id);
    expect(listed).toHaveLength(2);
  });

  test('of ten concurrent uploads of one name, each is 201 or 409 upload_in_progress; one file and one record remain', async () => {
    const project = await service.newProject();
    await upload(project.id, 'Plan.txt', Buffer.from('x'));
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        upload(project.id, 'Plan.txt', Buffer.from(`content ${index}`)),
      ),
    );
    for (const { status, body } of responses) {
      expect([201, 409]).toContain(status);
      if (status === 409) expect(body.code).toBe('upload_in_progress');
    }
    expect(responses.some(({ status }) => status === 201)).toBe(true);
    expect(await list(project.id)).toHaveLength(1);
    expect(await filesOf(project)).toHaveLength(1);
  });

  test('a folder with the name of the file is a conflict', async () => {
    const project = await warmProject();
    await service.library('POST', `/items/${project.folderId}/children`, {
      json: { name: 'Plan', folder: {} },
    });
    const { status, body } = await upload(project.id, 'Plan', Buffer.from('x'));
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'file_exists' });
  });
});

describe('names', () => {
  test.each([
    'Überprüfung – Größe.pdf',
    'Raum #12 100% + Süd.txt',
    "O'Neill & Söhne (1), =final; @2.txt",
    '🏗️ Baustelle.txt',
    `${'n'.repeat(251)}.txt`,
    '文件.docx',
    'a%2Fb.txt',
  ])('%s is kept as it is', async (name) => {
    const project = await service.newProject('x');
    const { status, body } = await upload(project.id, name, Buffer.from('content'));
    expect({ status, name: body.fileName }).toEqual({ status: 201, name: name.normalize('NFC') });
    const { body: content, headers } = await service.call('GET', `/documents/${body.id}/download`);
    expect(content).toBe('content');
    const disposition = headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; filename=/);
    expect(disposition).toMatch(/^[\x20-\x7e]*$/);
    expect((await list(project.id))[0].fileName).toBe(name.normalize('NFC'));
  });

  test.each(['nfc', 'exact'])('umlauts in NFC and NFD are one name (library: %s)', async (unicode) => {
    await service.admin('PATCH', '/settings', { unicode });
    const project = await service.newProject('Brücke'.normalize('NFD'));
    const nfd = (await upload(project.id, 'Prüfung.txt'.normalize('NFD'), Buffer.from('1'))).body;
    const nfc = (await upload(project.id, 'Prüfung.txt'.normalize('NFC'), Buffer.from('2'))).body;
    expect(nfd.fileName).toBe('Prüfung.txt'.normalize('NFC'));
    expect(nfc.id).toBe(nfd.id);
    expect(await list(project.id)).toHaveLength(1);
  });

  test.each([
    ['a:b.txt', '" * : < > ?'],
    ['..', 'must not end with a dot'],
    ['\u00ff\ufffd.txt', 'UTF-8'],
  ])('%j is rejected, and the response states the rule', async (name, rule) => {
    const project = await service.newProject();
    const { status, body } = await upload(project.id, name, Buffer.from('x'));
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(body.errors[0].path).toBe('body.file');
    expect(body.detail).toContain(rule);
  });

  test('control characters in an encoded name are rejected', async () => {
    const project = await service.newProject();
    const disposition = `form-data; name="file"; filename="a.txt"; filename*=UTF-8''a%0D%0Ab.txt`;
    const file = { name: 'file', disposition, content: Buffer.from('x') };
    const form = formOf([...fieldsFor('01_Angebote', 'replace'), file]);
    const { status, body } = await sendForm(service, project.id, form);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(body.detail).toContain('control');
  });

  test('a whole path as the file name: only its last part is used', async () => {
    const project = await service.newProject();
    const names = ['C:\\Users\\a\\Plan.txt', '../../etc/Plan.txt'];
    for (const name of names) {
      const { status, body } = await upload(project.id, name, Buffer.from('x'));
      expect({ status, name: body.fileName }).toEqual({ status: 201, name: 'Plan.txt' });
    }
  });

  test('a line break smuggled into a name ends neither header nor body', async () => {
    const project = await service.newProject();
    const disposition = 'form-data; name="file"; filename="a.txt\\r\\nX-Evil: 1"';
    const injected = formOf([
      ...fieldsFor('01_Angebote', 'replace'),
      { name: 'file', disposition: disposition.replace('\\r\\n', '\r\n'), content: Buffer.from('x') },
    ]);
    const { status, headers } = await sendForm(service, project.id, injected);
    expect(status).toBe(400);
    expect(headers.get('x-evil')).toBeNull();
  });

  test('a path that is too long for the library is rejected with the limit', async () => {
    const project = await service.newProject('x'.repeat(80));
    const { status, body } = await upload(project.id, `${'n'.repeat(251)}.txt`, Buffer.from('x'.repeat(10)));
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(body.detail).toContain('400');
  });
});

test('the content type is that of the part, unless that is none, or says nothing: then it is that of the library', async () => {
  const project = await service.newProject();
  const given = [
    'text/css',
    'IMAGE/SVG+xml',
    'nonsense',
    'text/html\u00e4',
    'text/plain',
    'application/octet-stream',
  ];
  const seen: string[] = [];
  for (const contentType of given) {
    const { body } = await upload(project.id, `a${seen.length}.html`, Buffer.from('<script>'), {
      contentType,
    });
    seen.push(body.contentType);
  }
  const ofLibrary = ['text/html', 'text/html', 'text/html', 'text/html'];
  expect(seen).toEqual(['text/css', 'image/svg+xml', ...ofLibrary]);
});
