import { expect, test } from 'vitest';
import { eventLog } from '../../../../lib/base/event-log.ts';
import { conflictBehaviors } from '../../../../lib/document-library/conflict-behavior.ts';
import { withForm, type FormSettings } from '../../../../lib/project-documents/form/upload-form.ts';

const boundary = '----WebKitFormBoundary0123456789abcdef';
const part = (header: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${header}\r\n\r\n${value}\r\n`;
const maxBytes = 1024 ** 2;
const fields = part('name="folderName"', '01_Angebote') + part('name="conflictBehavior"', 'rename');

// oxlint-disable-next-line require-await
async function* inChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

const settings: FormSettings = {
  disk: { freeBytes: 4 * maxBytes },
  maxBytes,
  defaultConflictBehavior: 'replace',
  log: eventLog(console),
};

async function received(
  bytes: AsyncIterable<Uint8Array>,
  length?: number,
  changed: Partial<FormSettings> = {},
) {
  const headers = new Headers({ 'content-type': `multipart/form-data; boundary=${boundary}` });
  if (length !== undefined) headers.set('content-length', String(length));
  return withForm({ headers, bytes }, { ...settings, ...changed }, async ({ fields, file: { content } }) => ({
    ...fields,
    text: Buffer.concat(await Array.fromAsync(content.read(0, content.size))).toString(),
  }));
}

test.each([
  ['no bytes', ''],
  ['an empty line', 'a\r\n\r\nb'],
  ['almost a delimiter at its beginning', `--${boundary.slice(0, -1)}`],
])('a file with %s is received wherever the body is cut', async (_what, content) => {
  const file = part('name="file"; filename="Plan.pdf"', content);
  const body = Buffer.from(`${fields}${file}--${boundary}--\r\n`);
  for (let cut = 0; cut <= body.byteLength; cut += 1) {
    // The buffers are freed.
    const chunks = [body.subarray(0, cut), body.subarray(cut)].map((chunk) => Buffer.from(chunk));
    expect(await received(inChunks(chunks)), `cut at ${cut}`).toMatchObject({ text: content });
  }
});

test('a malformed part before the file is rejected wherever the body is cut', async () => {
  const malformed = part(`name="${'x'.repeat(17 * 1024)}"`, 'x');
  const body = Buffer.from(`${malformed}${part('name="file"; filename="Plan.pdf"', 'x')}--${boundary}--\r\n`);
  for (let cut = body.byteLength; cut > 0; cut -= 500) {
    const rejected = await received(inChunks([body.subarray(0, cut), body.subarray(cut)])).catch(
      (error) => error,
    );
    expect(rejected, `cut at ${cut}`).toMatchObject({ code: 'invalid_request' });
  }
});

test.each([
  ['above the limit', 2 * maxBytes, {}, 'file_too_large'],
  ['that the disk has no room for', maxBytes, { disk: { freeBytes: 1000 } }, 'storage_unavailable'],
])(
  'an announced length %s is rejected with the first bytes of a file',
  async (_what, length, changed, code) => {
    async function* endless() {
      yield Buffer.from(part('name="file"; filename="Plan.pdf"', 'x'.repeat(100)));
      await new Promise(() => undefined);
    }
    await expect(received(endless(), length, changed)).rejects.toMatchObject({ code });
  },
);

test('a body that ends before it is complete is rejected, and its disk space is free again', async () => {
  const body = Buffer.from(`${fields}${part('name="file"; filename="Plan.pdf"', 'x'.repeat(100))}`);
  const disk = { freeBytes: 1000 };
  await expect(received(inChunks([body.subarray(0, -50)]), 1000, { disk })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect(disk.freeBytes).toBe(1000);
});

test.each(conflictBehaviors)('without a conflictBehavior, the default applies: %s', async (behavior) => {
  const folder = part('name="folderName"', '01_Angebote');
  const file = part('name="file"; filename="Plan.pdf"', 'content');
  const body = Buffer.from(`${folder}${file}--${boundary}--\r\n`);
  expect(await received(inChunks([body]), undefined, { defaultConflictBehavior: behavior })).toMatchObject({
    folderName: '01_Angebote',
    conflictBehavior: behavior,
  });
});
