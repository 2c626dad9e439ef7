import { describe, expect, test } from 'vitest';
import { fieldsFor, filePart, formOf, sendRaw, type Form } from '../../../support/multipart.ts';
import { maxUploadBytes, useDocuments } from '../support/documents.ts';

const MiB = 1024 * 1024;

const { service, left } = useDocuments();

const fields = fieldsFor('01_Angebote', 'replace');
const fileOf = (bytes: number) => filePart('a.bin', Buffer.alloc(bytes, 'x'));
const withKey = (length: number) => ({
  'x-functions-key': 'the key of the gateway',
  'x-upload-content-length': String(length),
});

/** As API Management forwards an upload: chunked. */
const send = (
  projectId: string,
  { boundary, body }: Form,
  headers: Record<string, string>,
  between: () => Promise<unknown> = async () => undefined,
) =>
  sendRaw(service, projectId, {
    boundary,
    headers: { 'transfer-encoding': 'chunked', ...headers },
    write: async (write) => {
      const middle = Math.floor(body.length / 2);
      await write(body.subarray(0, middle));
      await between();
      await write(body.subarray(middle));
    },
  });

/** Sends a request and expects a response. */
async function responseTo(...sent: Parameters<typeof send>) {
  const response = await send(...sent);
  if (response === 'broken') throw new Error('the connection broke before a response');
  return response;
}

describe('a chunked upload with the length it had at the gateway', () => {
  test('streams: the library has its session before the body has ended', async () => {
    const project = await service.newProject();
    const form = formOf([...fields, fileOf(4 * MiB)]);
    const { status, body } = await responseTo(project.id, form, withKey(form.body.length), () =>
      expect.poll(() => service.openSessions()).toHaveLength(1),
    );
    expect([status, body.size]).toEqual([201, 4 * MiB]);
  });

  test('above the limit: 413, and nothing is left', async () => {
    const project = await service.newProject();
    const form = formOf([...fields, fileOf(maxUploadBytes + 1)]);
    const { status, body } = await responseTo(project.id, form, withKey(form.body.length));
    expect([status, body.code]).toEqual([413, 'file_too_large']);
    expect(await left(project)).toEqual([]);
  });

  describe.each([
    ['of 1 MiB', [...fields, fileOf(MiB)]],
    ['of 1,000 bytes', [...fields, fileOf(1000)]],
    ['of 1 MiB before its fields', [fileOf(MiB), ...fields]],
  ])('%s', (_what, parts) => {
    const form = formOf(parts);
    const { length } = form.body;

    test.each([
      ['one byte more', length + 1],
      ['one byte less', length - 1],
      ['half', Math.floor(length / 2)],
      ['twice', Math.min(2 * length, maxUploadBytes)],
    ])('a wrong length (%s) is a 400 that names the header, and nothing is left', async (_how, announced) => {
      const project = await service.newProject();
      const { status, body } = await responseTo(project.id, form, withKey(announced));
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.errors).toMatchObject([
        {
          path: 'headers.x-upload-content-length',
          code: 'wrong_length',
          params: {},
          message: expect.any(String) as string,
        },
      ]);
      expect(body.detail).toContain('x-upload-content-length');
      await expect.poll(() => left(project)).toEqual([]);
    });
  });
});
