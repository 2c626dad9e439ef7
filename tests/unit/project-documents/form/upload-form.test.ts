import { expect, test } from 'vitest';
import {
  conflictBehaviors,
  type ConflictBehavior,
} from '../../../../lib/document-library/conflict-behavior.ts';
import { UploadForm } from '../../../../lib/project-documents/form/upload-form.ts';
import { BlockPool } from '../../../../lib/uploads/block-pool.ts';

const boundary = '----WebKitFormBoundary0123456789abcdef';
const part = (header: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${header}\r\n\r\n${value}\r\n`;
const maxBytes = 1024 ** 2;
const fields = part('name="folderName"', '01_Angebote') + part('name="conflictBehavior"', 'rename');

// oxlint-disable-next-line require-await
async function* inChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function opened(
  chunks: readonly Uint8Array[],
  defaultConflictBehavior: ConflictBehavior = 'replace',
): Promise<UploadForm> {
  const length = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const headers = new Headers({
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(length),
  });
  return UploadForm.open(
    { headers, bytes: inChunks(chunks) },
    { pool: new BlockPool(4), maxBytes, defaultConflictBehavior },
  );
}

async function exactSize(chunks: readonly Uint8Array[]): Promise<number | null> {
  const form = await opened(chunks);
  form.fields.catch(() => undefined);
  form.discard();
  return form.file.exactSize;
}

test.each([
  ['no bytes', ''],
  ['an empty line', 'a\r\n\r\nb'],
  ['almost a delimiter at its beginning', `--${boundary.slice(0, -1)}`],
])('the size of a file with %s is known wherever the body is cut', async (_what, content) => {
  const file = part('name="file"; filename="Plan.pdf"', content);
  const body = Buffer.from(`${fields}${file}--${boundary}--\r\n`);
  for (let cut = 0; cut <= body.byteLength; cut += 1) {
    expect(await exactSize([body.subarray(0, cut), body.subarray(cut)]), `cut at ${cut}`).toBe(
      content.length,
    );
  }
  expect(await exactSize(Array.from(body, (_, at) => body.subarray(at, at + 1)))).toBe(content.length);
});

test('a malformed part before the file is rejected wherever the body is cut', async () => {
  const malformed = part(`name="${'x'.repeat(17 * 1024)}"`, 'x');
  const body = Buffer.from(`${malformed}${part('name="file"; filename="Plan.pdf"', 'x')}--${boundary}--\r\n`);
  for (let cut = body.byteLength; cut > 0; cut -= 500) {
    const rejected = await exactSize([body.subarray(0, cut), body.subarray(cut)]).catch((error) => error);
    expect(rejected, `cut at ${cut}`).toMatchObject({ code: 'invalid_request' });
  }
});

test('an announced length above the limit is rejected with the first bytes of a file before its fields', async () => {
  async function* endless() {
    yield Buffer.from(part('name="file"; filename="Plan.pdf"', 'x'.repeat(100)));
    await new Promise(() => undefined);
  }
  const form = UploadForm.open(
    {
      headers: new Headers({
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': String(2 * 1024 ** 2),
      }),
      bytes: endless(),
    },
    { pool: new BlockPool(4), maxBytes, defaultConflictBehavior: 'replace' },
  );
  await expect(form).rejects.toMatchObject({ code: 'file_too_large' });
});

test('an announced length above the limit can be that of a file within it, if fields follow the file', async () => {
  const file = part('name="file"; filename="Plan.pdf"', 'x'.repeat(maxBytes));
  const form = await opened([Buffer.from(`${file}${fields}--${boundary}--\r\n`)]);
  form.fields.catch(() => undefined);
  form.discard();
  expect(form.file.exactSize).toBeNull();
});

test('whoever reads the file learns that the body ended before it was complete', async () => {
  const body = Buffer.from(`${fields}${part('name="file"; filename="Plan.pdf"', 'x'.repeat(100))}`);
  const form = await UploadForm.open(
    {
      headers: new Headers({ 'content-type': `multipart/form-data; boundary=${boundary}` }),
      bytes: inChunks([body.subarray(0, -50)]),
    },
    { pool: new BlockPool(4), maxBytes, defaultConflictBehavior: 'replace' },
  );
  await expect(form.fields).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(form.file.window.next()).rejects.toMatchObject({ code: 'invalid_request' });
});

test.each(conflictBehaviors)('without a conflictBehavior, the default applies: %s', async (behavior) => {
  const folder = part('name="folderName"', '01_Angebote');
  const file = part('name="file"; filename="Plan.pdf"', 'content');
  const form = await opened([Buffer.from(`${folder}${file}--${boundary}--\r\n`)], behavior);
  expect(await form.fields).toEqual({ folderName: '01_Angebote', conflictBehavior: behavior });
  form.discard();
});
