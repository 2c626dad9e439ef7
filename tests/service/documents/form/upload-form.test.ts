import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { Disconnection, fieldsFor, filePart, formOf, sendForm, sendRaw } from '../../../support/multipart.ts';
import { maxUploadBytes, useDocuments } from '../support/documents.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

const { service, filesOf, list, leftOpen } = useDocuments();

const nothingIsLeft = async () => {
  expect(await service.openSessions()).toEqual([]);
  expect(await service.temporaryFiles()).toEqual([]);
};
afterEach(nothingIsLeft);

describe('the form', () => {
  const file = filePart('a.txt', Buffer.from('content'));
  const folder = { name: 'folderName', value: '01_Angebote' };

  test.each([
    ['no file', [folder], 'invalid_request', ['body.file']],
    ['no folderName', [file], 'invalid_request', ['body.folderName']],
    ['nothing', [], 'invalid_request', ['body.file', 'body.folderName']],
    ['the file twice', [folder, file, file], 'invalid_request', ['body.file']],
    ['a field twice', [folder, folder, file], 'invalid_request', ['body.folderName']],
    ['an unknown field', [folder, { name: 'color', value: 'red' }, file], 'invalid_request', ['body.color']],
    [
      'an unknown field after the file',
      [folder, file, { name: 'color', value: 'red' }],
      'invalid_request',
      ['body.color'],
    ],
    ['an unknown file part', [folder, { ...file, name: 'second' }, file], 'invalid_request', ['body.second']],
    [
      'an unknown folder',
      [{ name: 'folderName', value: '09_Fotos' }, file],
      'unknown_folder',
      ['body.folderName'],
    ],
    [
      'an unknown folder after the file',
      [file, { name: 'folderName', value: 'x' }],
      'unknown_folder',
      ['body.folderName'],
    ],
    [
      'an unknown behavior',
      [folder, { name: 'conflictBehavior', value: 'merge' }, file],
      'invalid_request',
      ['body.conflictBehavior'],
    ],
    [
      'a file part without a file name',
      [folder, { name: 'file', content: Buffer.from('x') }],
      'invalid_request',
      ['body.file'],
    ],
    [
      'two faults',
      [{ name: 'folderName', value: 'x' }, { name: 'conflictBehavior', value: 'y' }, file],
      'invalid_request',
      ['body.folderName', 'body.conflictBehavior'],
    ],
  ])('%s is rejected, and the response names the parts', async (_what, parts, code, paths) => {
    const project = await service.newProject();
    const { status, body } = await sendForm(service, project.id, formOf(parts));
    expect({ status, code: body.code }).toEqual({ status: 400, code });
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect(await filesOf(project)).toEqual([]);
    expect(await list(project.id)).toEqual([]);
  });

  test.each([
    ['no file name', [{ name: 'file', content: Buffer.from('x') }], /must have a filename/],
    [
      'no file name, as bytes',
      [{ name: 'file', disposition: 'form-data; name="file"', content: Buffer.from('x') }],
      /must have a filename/,
    ],
    ['a quote, as browsers escape it', [filePart('a%22b.txt', Buffer.from('x'))], /any of "/],
    ['a line break, as browsers escape it', [filePart('a%0Ab.txt', Buffer.from('x'))], /control characters/],
    ['a bidirectional override', [filePart('a\u202efdp.exe', Buffer.from('x'))], /bidirectional/],
  ])('%s is rejected, and the response states the rule', async (_what, parts, rule) => {
    const project = await service.newProject();
    const { status, body } = await sendForm(service, project.id, formOf([folder, ...parts]));
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ path: 'body.file', message: expect.stringMatching(rule) }]);
  });

  test('the response for an unknown folder has the eight names', async () => {
    const project = await service.newProject();
    const parts = [{ name: 'folderName', value: '02_Auftraege' }, file];
    const { body } = await sendForm(service, project.id, formOf(parts));
    expect(body.detail).toContain('01_Angebote, 02_Aufträge, 03_Auftragsbestätigungen, 04_Rechnungen');
    expect(body.detail).toContain('08_Ausschreibungen_Vergaben');
  });

  test.each([
    ['application/json', 'application/json'],
    ['multipart without a boundary', 'multipart/form-data'],
    ['multipart/mixed', 'multipart/mixed; boundary=x'],
  ])('%s is 415', async (_what, contentType) => {
    const project = await service.newProject();
    const { status, body } = await service.call('POST', `/documents/projects/${project.id}/upload`, {
      headers: { 'content-type': contentType },
      body: '{}',
    });
    expect({ status, code: body.code }).toEqual({ status: 415, code: 'unsupported_media_type' });
  });

  test('endless fields, part headers and parts before the file are cut off', async () => {
    const project = await service.newProject();
    const bodies = [
      [{ name: 'folderName', value: 'x'.repeat(2 * KiB) }, file],
      [{ name: 'x'.repeat(70 * KiB), value: 'x' }, file],
      [
        {
          name: 'file',
          disposition: `form-data; name="file"; filename="${'n'.repeat(20 * KiB)}"`,
          content: Buffer.from('x'),
        },
      ],
      Array.from({ length: 200 }, (_, index) => ({ name: `f${index}`, value: 'x' })),
    ];
    for (const parts of bodies) {
      const { status, body } = await sendForm(service, project.id, formOf(parts));
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    }
  });

  test('an unknown project is 404, an unreadable token 401, no role 403', async () => {
    const project = await service.newProject();
    const form = formOf([...fieldsFor('01_Angebote', 'replace'), file]);
    const unknown = await sendForm(service, 'unknown', form);
    expect({ status: unknown.status, code: unknown.body.code }).toEqual({
      status: 404,
      code: 'project_not_found',
    });
    const noRole = await sendForm(service, project.id, form, { as: people.noRole });
    expect({ status: noRole.status, code: noRole.body.code }).toEqual({ status: 403, code: 'forbidden' });
    const noToken = await sendForm(service, project.id, form, { headers: { authorization: 'Bearer x' } });
    expect({ status: noToken.status, code: noToken.body.code }).toEqual({
      status: 401,
      code: 'unauthenticated',
    });
  });
});

describe('the limit', () => {
  test.each(['length', 'chunked'] as const)(
    'exactly the limit is accepted, one byte more is 413 (%s)',
    async (transport) => {
      const project = await service.newProject();
      const send = (size: number) =>
        sendForm(
          service,
          project.id,
          formOf([...fieldsFor('01_Angebote', 'replace'), filePart('a.bin', Buffer.alloc(size, 1))]),
          { transport },
        );
      expect((await send(maxUploadBytes)).body.size).toBe(maxUploadBytes);
      const { status, body } = await send(maxUploadBytes + 1);
      expect({ status, code: body.code }).toEqual({ status: 413, code: 'file_too_large' });
      expect(body.detail).toContain(String(maxUploadBytes));
      const [file, ...more] = await filesOf(project);
      expect([file?.size, more]).toEqual([maxUploadBytes, []]);
    },
  );
});

describe('Content-Length', () => {
  const content = randomBytes(1 * MiB);
  const parts = [...fieldsFor('01_Angebote', 'replace'), filePart('a.bin', content)];

  test('does not matter for small files', async () => {
    const project = await service.newProject();
    const small = [...fieldsFor('01_Angebote', 'replace'), filePart('a.bin', randomBytes(1000))];
    const { status, body } = await sendForm(service, project.id, formOf(small, { ending: '' }));
    expect({ status, size: body.size }).toEqual({ status: 201, size: 1000 });
  });

  test('an unexpected part after the file is named, and nothing is stored', async () => {
    const project = await service.newProject();
    const form = formOf([...parts, { name: 'late', value: 'x'.repeat(500) }]);
    const { status, body } = await sendForm(service, project.id, form);
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe('body.late');
    expect(await filesOf(project)).toEqual([]);
  });

  test('larger than the body: nothing is stored when the client disconnects', async () => {
    const project = await service.newProject();
    const { boundary, body } = formOf(parts);
    const before = { started: requests().started, neverStarted: neverStarted() };
    const response = await sendRaw(service, project.id, {
      boundary,
      headers: { 'content-length': String(body.length + 1000) },
      write: async (send) => {
        await send(body);
        await expect.poll(() => requests().started).toBe(before.started + 1);
        throw new Disconnection();
      },
    });
    expect(response).toBe('broken');
    await expect.poll(neverStarted).toBe(before.neverStarted + 1);
    expect(await filesOf(project)).toEqual([]);
  });
});

/** The number of uploads whose announced body was incomplete. The host reads the body before it starts the function. */
const neverStarted = (): number =>
  service.logs.filter(({ message }) => message.includes('Unexpected end of request content')).length;

const requests = () => service.host.requests!;

/**
 * Waits until the service has finished the request, which its last log line shows. A connection that is reset before the
 * request has reached the service has no such line, so the client disconnects only after the response to a request that
 * it sent once the worker had the headers. Without waiting for these, the later request can overtake.
 */
async function settled(requestId: string): Promise<void> {
  const lines = () =>
    service.logs.filter(({ message }) => message.includes('"event":"request"') && message.includes(requestId))
      .length;
  await expect.poll(lines, { timeout: 40_000 }).toBe(1);
  await expect.poll(leftOpen, { timeout: 10_000 }).toEqual([]);
}

describe('a client that disconnects leaves nothing behind', () => {
  const content = randomBytes(MiB);
  const form = formOf([...fieldsFor('01_Angebote', 'replace'), filePart('a.bin', content)]);
  const headerEnd = form.body.indexOf('\r\n\r\n', form.body.indexOf('filename=')) + 4;

  for (const transport of ['length', 'chunked'] as const) {
    test.each([
      ['before the first byte', 0],
      ['in the fields', 60],
      ['in the part header of the file', headerEnd - 10],
      ['at the first byte of the file', headerEnd + 1],
      ['in the middle of the file', headerEnd + 768 * KiB],
      ['one byte before the end', form.body.length - 3],
    ])(`%s (${transport})`, async (_when, at) => {
      const project = await service.newProject();
      const requestId = randomUUID();
      const reached = () => requests()[transport === 'chunked' ? 'forwarded' : 'started'];
      const before = { reached: reached(), neverStarted: neverStarted() };
      const response = await sendRaw(service, project.id, {
        boundary: form.boundary,
        headers: {
          'x-request-id': requestId,
          ...(transport === 'length'
            ? { 'content-length': String(form.body.length) }
            : { 'transfer-encoding': 'chunked' }),
        },
        write: async (send) => {
          await send(form.body.subarray(0, Math.max(1, at)));
          await expect.poll(reached).toBe(before.reached + 1);
          await list(project.id);
          throw new Disconnection();
        },
      });
      expect(response).toBe('broken');
      if (transport === 'chunked') await settled(requestId);
      else await expect.poll(neverStarted).toBe(before.neverStarted + 1);
      expect(await filesOf(project)).toEqual([]);
      expect(await list(project.id)).toEqual([]);
    });
  }
});
