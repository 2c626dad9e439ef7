import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { filePart, formOf, sendForm, type Part, type Transport } from '../../../support/multipart.ts';
import { useDocuments, sha, twoFragments } from '../support/documents.ts';
import { requires } from '../../../../agent/smb/tests/support/requires.ts';

const MiB = 1024 * 1024;
const small = randomBytes(1 * MiB);
const large = randomBytes(twoFragments);

const { service, contentOf } = useDocuments();

afterEach(async () => {
  expect(await service.openSessions()).toEqual([]);
  expect(await service.temporaryFiles()).toEqual([]);
});

const folder = { name: 'folderName', value: '01_Angebote' };
const behavior = (value: string): Part => ({ name: 'conflictBehavior', value });
const file = (content: Uint8Array): Part => filePart('Plan.bin', content);

describe('folderName before the file, and no conflictBehavior', () => {
  requires('curl').test('sent by curl, as in the lines that npm start prints', async () => {
    const project = await service.newProject();
    const directory = await mkdtemp(join(tmpdir(), 'form-order-'));
    await writeFile(join(directory, 'Plan.bin'), large);
    await service.forgetRequests();
    const options = {
      header: `Authorization: Bearer ${await service.token()}`,
      form: ['folderName=01_Angebote', `file=@${join(directory, 'Plan.bin')}`],
    };
    const args = Object.entries(options).flatMap(([name, values]) =>
      [values].flat().flatMap((value) => [`--${name}`, value]),
    );
    const url = `${service.origin}/api/v1/documents/projects/${project.id}/upload`;
    const { stdout } = await promisify(execFile)('curl', ['--silent', '--show-error', ...args, url]);
    const document = JSON.parse(stdout) as { id: string; size: number };
    expect(document).toMatchObject({ fileName: 'Plan.bin', size: large.length });
    expect(sha(await contentOf(document.id))).toBe(sha(large));
  });
});

test.each<Transport>(['length', 'chunked'])(
  'a conflictBehavior after folderName and file (%s) applies',
  async (transport) => {
    const project = await service.newProject();
    const form = formOf([folder, file(small), behavior('rename')]);
    for (const fileName of ['Plan.bin', 'Plan 1.bin']) {
      const { status, body } = await sendForm(service, project.id, form, { transport });
      expect([status, body.fileName, body.size]).toEqual([201, fileName, small.length]);
    }
  },
);

describe.each<Transport>(['length', 'chunked'])('the file first (%s)', (transport) => {
  test.each<readonly [string, Uint8Array]>([
    ['of 0 bytes', Buffer.alloc(0)],
    ['of 1 MiB', small],
    ['of 11 MiB', large],
  ])('a file %s uses the fields that follow it, all or one of them', async (_what, content) => {
    const project = await service.newProject();
    const [renaming, contracts] = [behavior('rename'), { ...folder, value: '05_Verträge' }];
    for (const [name, parts] of [
      ['Plan.bin', [file(content), renaming, contracts]],
      ['Plan 1.bin', [renaming, file(content), contracts]],
    ] as const) {
      const form = formOf(parts);
      const { status, body } = await sendForm(service, project.id, form, { transport });
      expect([status, body.fileName, body.folderName, body.size]).toEqual([
        201,
        name,
        '05_Verträge',
        content.length,
      ]);
      expect(sha(await contentOf(body.id))).toBe(sha(content));
    }
  });
});

test.each([
  ['no line break', ''],
  ['one line break', '\r\n'],
  ['two line breaks', '\r\n\r\n'],
  ['something else', '\r\nan epilogue'],
])('a body that ends with %s', async (_what, ending) => {
  const project = await service.newProject();
  for (const content of [Buffer.from('content'), small, large]) {
    const form = formOf([folder, behavior('replace'), file(content)], { ending });
    const { status, body } = await sendForm(service, project.id, form);
    expect([status, body.size]).toEqual([201, content.length]);
    expect(sha(await contentOf(body.id))).toBe(sha(content));
  }
});
