import { describe, expect, test } from 'vitest';
import { eventLog } from '../../../../lib/base/event-log.ts';
import { conflictBehaviors } from '../../../../lib/document-library/conflict-behavior.ts';
import { withReadableParts } from '../../../../lib/project-documents/form/part-headers.ts';
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
  length?: number | string,
  changed: Partial<FormSettings> = {},
) {
  const headers = new Headers({ 'content-type': `multipart/form-data; boundary=${boundary}` });
  if (length !== undefined) headers.set('content-length', String(length));
  return withForm(
    { headers, bytes },
    { ...settings, ...changed },
    async ({ fields, file: { name, content } }) => ({
      ...fields,
      name,
      text: Buffer.concat(await Array.fromAsync(content.read(0, content.size))).toString(),
    }),
  );
}

test.each([
  ['no bytes', ''],
  ['an empty line', 'a\r\n\r\nb'],
  ['almost a delimiter at its beginning', `--${boundary.slice(0, -1)}`],
])('a file with %s is received wherever the body is cut', async (_what, content) => {
  const file = part('name="file"; filename="Plan.pdf"', content);
  const body = Buffer.from(`${fields}${file}--${boundary}--\r\n`);
  for (let cut = fields.length; cut <= body.byteLength; cut += 1) {
    // The buffers are freed.
    const chunks = [body.subarray(0, cut), body.subarray(cut)].map((chunk) => Buffer.from(chunk));
    expect(await received(inChunks(chunks)), `cut at ${cut}`).toMatchObject({ text: content });
  }
});

test('a body is read up to 64 KiB if its first part does not begin', async () => {
  let sent = 0;
  // oxlint-disable-next-line require-await
  async function* endless() {
    for (; sent < 200; sent += 1) yield Buffer.alloc(1024, 'x');
    yield Buffer.from(`\r\n${fields}${part('name="file"; filename="Plan.pdf"', 'x')}--${boundary}--\r\n`);
  }
  await expect(received(endless())).rejects.toMatchObject({ code: 'invalid_request' });
  expect(sent).toBeLessThan(130);
});

test('a malformed part before the file is rejected wherever the body is cut, and the file takes no disk space', async () => {
  const malformed = part(`name="${'x'.repeat(17 * 1024)}"`, 'x');
  const body = Buffer.from(`${malformed}${part('name="file"; filename="Plan.pdf"', 'x')}--${boundary}--\r\n`);
  const taken: number[] = [];
  const disk = {
    get freeBytes() {
      return maxBytes;
    },
    set freeBytes(bytes) {
      taken.push(bytes);
    },
  };
  for (let cut = body.byteLength; cut > 0; cut -= 500) {
    const chunks = inChunks([body.subarray(0, cut), body.subarray(cut)]);
    const rejected = await received(chunks, 100 * 1024, { disk }).catch((error) => error);
    expect(rejected, `cut at ${cut}`).toMatchObject({ code: 'invalid_request' });
  }
  expect(taken).toEqual([]);
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

test('a full disk says when to try again, and gives back what it had reserved', async () => {
  const body = Buffer.from(
    `${fields}${part('name="file"; filename="Plan.pdf"', 'x'.repeat(2000))}--${boundary}--\r\n`,
  );
  const disk = { freeBytes: 1000 };
  await expect(received(inChunks([body]), undefined, { disk })).rejects.toMatchObject({
    code: 'storage_unavailable',
    facts: { retryAfterSeconds: 15 },
  });
  expect(disk.freeBytes).toBe(1000);
});

test.each(['x', '12, 12', '1e9', '0x7fffffff', '9'.repeat(400)])(
  'a Content-Length of %s announces nothing, and leaves the count of the disk as it was',
  async (length) => {
    const body = Buffer.from(
      `${fields}${part('name="file"; filename="Plan.pdf"', 'content')}--${boundary}--\r\n`,
    );
    const disk = { freeBytes: 1000 };
    expect(await received(inChunks([body]), length, { disk })).toMatchObject({ text: 'content' });
    expect(disk.freeBytes).toBe(1000);
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

describe('a Content-Disposition that the parser drops', () => {
  const bodyWith = (disposition: string, rest = '') =>
    Buffer.from(
      `${fields}--${boundary}\r\n${disposition}\r\n${rest}\r\nContent-Disposition: x\r\n\r\n--${boundary}--\r\n`,
    );
  const named = (parameters: string) => `Content-Disposition: form-data; name="file"; ${parameters}`;

  test.each([
    ['a quoted filename*', `filename="Plän.pdf"; filename*="UTF-8''Pl%C3%A4n.pdf"`],
    ['a bad percent in filename*', `filename="Plän.pdf"; filename*=UTF-8''%ZZ.pdf`],
    ['a filename* before the filename', `filename*="UTF-8''x.pdf"; filename="Plän.pdf"`],
    ['a semicolon at its end', 'filename="Plän.pdf";'],
    ['a space before the equals sign', 'filename ="Plän.pdf"'],
  ])('%s: the good name beside it is taken', async (_what, parameters) => {
    // What looks like a header in a file is its content.
    const text = 'Content-Disposition: x\r\n';
    expect(await received(inChunks([bodyWith(named(parameters))]))).toMatchObject({ name: 'Plän.pdf', text });
  });

  test('is repaired wherever the body is cut, and nothing else is changed', async () => {
    const body = bodyWith(named('filename ="Plän.pdf"'));
    const expected = body.toString().replace('filename =', 'filename=');
    for (let cut = 0; cut <= body.byteLength; cut += 1) {
      const chunks = inChunks([body.subarray(0, cut), body.subarray(cut)]);
      const passed = await Array.fromAsync(withReadableParts(chunks, boundary, () => undefined));
      expect(Buffer.concat(passed).toString(), `cut at ${cut}`).toBe(expected);
    }
  });

  test.each([
    ['only a bad filename*', named(`filename*="UTF-8''Plan.pdf"`)],
    ['a name that may end at an escaped quote', named(String.raw`filename ="Pl\"an.pdf"`)],
    ['no name', 'Content-Disposition: form-data'],
    ['another type', 'Content-Disposition: attachment; name="file"; filename="Plan.pdf"'],
    ['no Content-Disposition', 'Content-Type: text/plain'],
  ])('%s is rejected as that, and not as a missing file', async (_what, disposition) => {
    await expect(received(inChunks([bodyWith(disposition)]))).rejects.toMatchObject({
      code: 'invalid_request',
      facts: { errors: [{ path: 'body', code: 'unreadable_disposition' }] },
    });
  });

  test('of a field before the file is repaired, too', async () => {
    const folder = `--${boundary}\r\nContent-Disposition: form-data; name="folderName";\r\n\r\n01_Angebote\r\n`;
    const body = Buffer.from(`${folder}${part('name="file"; filename="Plan.pdf"', 'x')}--${boundary}--\r\n`);
    expect(await received(inChunks([body]))).toMatchObject({ folderName: '01_Angebote', text: 'x' });
  });

  test.each(['\r\n', '\r\n\r\n', '\r\n\r\n\r\n--'])(
    'an end without a file is a missing file (%j)',
    async (end) => {
      const body = Buffer.from(`${fields}--${boundary}--${end}`);
      await expect(received(inChunks([body]))).rejects.toMatchObject({
        facts: { errors: [{ path: 'body.file', code: 'required' }] },
      });
    },
  );
});

describe('a Content-Transfer-Encoding', () => {
  const encoded = (encoding: string, of: 'file' | 'field') => {
    const header = (name: string) => (name === of ? `Content-Transfer-Encoding: ${encoding}\r\n` : '');
    return Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="folderName"\r\n${header('field')}\r\n01_Angebote\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="Plan.pdf"\r\n${header('file')}\r\ncGxhbg==\r\n` +
        `--${boundary}--\r\n`,
    );
  };

  test.each(['7bit', '8BIT', 'binary'])('of %s is the content as it is', async (encoding) => {
    expect(await received(inChunks([encoded(encoding, 'file')]))).toMatchObject({ text: 'cGxhbg==' });
    expect(await received(inChunks([encoded(encoding, 'field')]))).toMatchObject({
      folderName: '01_Angebote',
    });
  });

  test.each(['base64', 'Quoted-Printable', 'x-gzip'])(
    'of %s is rejected and named, never stored',
    async (encoding) => {
      const fault = { code: 'transfer_encoding', params: { encoding: encoding.toLowerCase() } };
      await expect(received(inChunks([encoded(encoding, 'file')]))).rejects.toMatchObject({
        facts: { errors: [{ path: 'body.file', ...fault }] },
      });
      await expect(received(inChunks([encoded(encoding, 'field')]))).rejects.toMatchObject({
        facts: { errors: [{ path: 'body.folderName', ...fault }] },
      });
    },
  );
});

test('the bytes of a file pass as they come, and are not counted as those before it', async () => {
  const counted: number[] = [];
  const head = Buffer.from(fields + part('name="file"; filename="a.pdf"', 'begins').slice(0, -2));
  const rest = [Buffer.alloc(70_000, 1), Buffer.from(`\r\n--${boundary}x\r\n`), Buffer.alloc(70_000, 2)];
  const passed = withReadableParts(inChunks([head, ...rest]), boundary, (bytes) => counted.push(bytes));
  const chunks = await Array.fromAsync(passed);
  expect(counted.every((bytes) => bytes <= head.length)).toBe(true);
  // The same objects: nothing is copied.
  expect(rest.map((chunk) => chunks.includes(chunk))).toEqual([true, true, true]);
});
