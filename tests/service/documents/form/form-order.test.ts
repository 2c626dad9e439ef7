import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import {
  filePart,
  formOf,
  sendForm,
  sendRaw,
  type Form,
  type Part,
  type Transport,
} from '../../../support/multipart.ts';
import { useDocuments, sha, threeFragments } from '../support/documents.ts';
import { requires } from '../../../../agent/smb/tests/support/requires.ts';

// Whether a file streams, is held, or is staged depends on the order of the form's parts and on how the sender ends the
// form. The result is the same.

const MiB = 1024 * 1024;
const held = randomBytes(1 * MiB);
const large = randomBytes(threeFragments);

const { service, contentOf, left } = useDocuments();

afterEach(async () => {
  expect(await service.openSessions()).toEqual([]);
  expect(await service.staged()).toEqual([]);
});

const folder = { name: 'folderName', value: '01_Angebote' };
const behavior = (value: string): Part => ({ name: 'conflictBehavior', value });
const file = (content: Uint8Array): Part => filePart('Plan.bin', content);

/** Sends half as the gateway does, runs a check, and sends the rest. */
async function halfway(projectId: string, { boundary, body }: Form, check: () => Promise<unknown>) {
  const response = await sendRaw(service, projectId, {
    boundary,
    headers: {
      'transfer-encoding': 'chunked',
      'x-functions-key': 'the key of the gateway',
      'x-upload-content-length': String(body.length),
    },
    write: async (send) => {
      const middle = Math.floor(body.length / 2);
      await send(body.subarray(0, middle));
      await check();
      await send(body.subarray(middle));
    },
  });
  if (response === 'broken') throw new Error('the connection broke before a response');
  return response;
}

describe('folderName before the file, and no conflictBehavior', () => {
  test('streams with the default: the library has bytes before the body has ended, the staging has none', async () => {
    const project = await service.newProject();
    const { status, body } = await halfway(project.id, formOf([folder, file(large)]), async () => {
      const received = async () =>
        ((await service.openSessions()) as { received: number }[]).map((session) => session.received > 0);
      await expect.poll(received).toEqual([true]);
      expect(await service.staged()).toEqual([]);
    });
    expect([status, body.size]).toEqual([201, large.length]);
    expect(sha(await contentOf(body.id))).toBe(sha(large));
  });

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

describe.each<Transport>(['length', 'chunked'])(
  'a conflictBehavior after folderName and file (%s)',
  (transport) => {
    test.each([
      ['of 7 bytes', Buffer.from('content')],
      ['of 1 MiB', held],
      ['of 19 MiB', large],
    ])(
      'that is not the default: 400 that says to send it before the file, and nothing is stored (file %s)',
      async (_what, content) => {
        const project = await service.newProject();
        const form = formOf([folder, file(content), behavior('rename')]);
        const { status, body } = await sendForm(service, project.id, form, { transport });
        expect([status, body.code]).toEqual([400, 'invalid_request']);
        expect(body.errors).toMatchObject([
          {
            path: 'body.conflictBehavior',
            message: 'must be sent before the file if it is not the default, replace',
          },
        ]);
        expect(await left(project)).toEqual([]);
      },
    );

    test.each([
      ['of 7 bytes', Buffer.from('content')],
      ['of 1 MiB', held],
    ])('that is the default changes nothing for a file %s', async (_what, content) => {
      const project = await service.newProject();
      const form = formOf([folder, file(content), behavior('replace')]);
      const { status, body } = await sendForm(service, project.id, form, { transport });
      expect([status, body.size]).toEqual([201, content.length]);
      expect(sha(await contentOf(body.id))).toBe(sha(content));
    });
  },
);

describe('a conflictBehavior that is the default, after a file that is too large to be held', () => {
  test('changes nothing if the file is staged anyway', async () => {
    const project = await service.newProject();
    const form = formOf([folder, file(large), behavior('replace')]);
    const { status, body } = await sendForm(service, project.id, form, { transport: 'chunked' });
    expect([status, body.size]).toEqual([201, large.length]);
    expect(sha(await contentOf(body.id))).toBe(sha(large));
  });

  test('is a 400 that says to send it before the file, if the file was already being sent', async () => {
    const project = await service.newProject();
    const form = formOf([folder, file(large), behavior('replace')]);
    const { status, body } = await sendForm(service, project.id, form);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toContain('send all fields before the file');
    expect(await left(project)).toEqual([]);
  });
});

describe.each<Transport>(['length', 'chunked'])('the file first (%s)', (transport) => {
  test.each<readonly [string, Uint8Array]>([
    ['of 0 bytes', Buffer.alloc(0)],
    ['of 1 MiB', held],
    // Chunked, it is staged as well (staging.test.ts).
    ...(transport === 'length' ? [['of 19 MiB', large] as const] : []),
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

// Which senders are known is in tests/unit/project-documents/form/form-boundary.test.ts.
describe('a body that ends with', () => {
  const form = (content: Uint8Array, how: { boundary?: string; ending: string }) =>
    formOf([folder, behavior('replace'), file(content)], how);

  test.each([
    ['no line break', '', []],
    ['one line break', '\r\n', []],
    ['two line breaks', '\r\n\r\n', []],
    ['something else', '\r\nan epilogue', [large]],
  ])(
    '%s: works at any size from an unknown sender, and from a known one for a file that is held',
    async (_what, ending, tooLargeToHold) => {
      const project = await service.newProject();
      const boundary = randomUUID().slice(0, 13);
      const unknown = { boundary, ending };
      for (const [content, sent] of [
        ...[Buffer.from('content'), held, ...tooLargeToHold].map((each) => [each, unknown] as const),
        [held, { ending }] as const,
      ]) {
        const { status, body } = await sendForm(service, project.id, form(content, sent));
        expect([status, body.size]).toEqual([201, content.length]);
        expect(sha(await contentOf(body.id))).toBe(sha(content));
      }
    },
  );

  test('no line break, from a sender known to send a line break, of a file already being sent: 400, and nothing is stored', async () => {
    const project = await service.newProject();
    const { status, body } = await sendForm(service, project.id, form(large, { ending: '' }));
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors[0].path).toBe('headers.content-length');
    expect(await left(project)).toEqual([]);
  });
});
