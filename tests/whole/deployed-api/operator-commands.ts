import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { requires } from '../../../agent/smb/tests/support/requires.ts';
import { until } from '../../../agent/smb/tests/support/until.ts';
import {
  people,
  verificationClientId,
} from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { copyRepository } from '../../support/copy-repository.ts';
import { call } from '../../../local/stack/call.ts';
import type { Stack } from '../../support/stack.ts';
import { type Running, runForTest } from '../support/start-program.ts';

// What an operator runs against a deployment.

const shows = (running: Running, pattern: RegExp) =>
  until(
    String(pattern),
    () => running.output() + (running.child.exitCode === null ? '' : '(ended)'),
    (text) => pattern.test(text) || text.endsWith('(ended)'),
    120_000,
  );

/** What the person does, in a browser on any device. */
async function signIn(running: Running, { email }: { email: string }): Promise<void> {
  await shows(running, /enter the code/);
  const [, page, code = ''] = /open the page (\S+) and enter the code (\S+)/.exec(running.output()) ?? [];
  const response = await fetch(`${page}?${new URLSearchParams({ code, login_hint: email }).toString()}`);
  expect(response.status, running.output()).toBe(200);
}

export function operatorStories(stack: () => Stack): void {
  beforeAll(() => {
    stack().identityProvider.deviceFlow.intervalSeconds = 0;
  });

  /** A command as an operator runs it against a deployment, with the ids of the registrations and no token. */
  function command(...args: string[]): Promise<Running> {
    const { identityProvider, caCertificate } = stack().description;
    // No browser may open, on a desktop either.
    return runForTest([process.execPath, ...args, '--device-code'], {
      NODE_EXTRA_CA_CERTS: caCertificate,
      IDP_AUTHORITY_HOST: identityProvider.url,
      IDP_TENANT_ID: identityProvider.tenantId,
      IDP_API_CLIENT_ID: identityProvider.clientId,
      VERIFICATION_CLIENT_ID: verificationClientId,
    });
  }

  test('import: the person signs in by the code, and the contacts are theirs to write', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'import-')), 'Kontakte.csv');
    await writeFile(file, 'Zuname;Vorname;E-Mail\nProbe;Paula;paula@example.com\n');
    const importing = await command(
      'tools/import/import-file.ts',
      'contacts',
      file,
      '--url',
      stack().description.baseUrl,
      '--columns',
      'lastName=Zuname',
    );
    await signIn(importing, people.administrator);
    expect(await importing.ended, importing.output()).toBe('exit code 0');
    expect(importing.output()).toMatch(/^lastName +„Zuname“$/m);
    expect(importing.output()).toContain('Fertig: 1 angelegt, 0 geändert.');
    expect(importing.output()).not.toContain('eyJ');
  });

  test('import: --same changes the stored contact that a row resembles, and names a row that resembles none', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'import-')), 'Kontakte.csv');
    await writeFile(file, 'Nachname;Vorname;Ort\nDoppelt;Dora;Lübeck\nNeu;Nina;Bremen\n');
    const { description } = stack();
    const stored = { firstName: 'Dora', lastName: 'Doppelt' };
    await call(description, 'administrator', 'PUT', `contacts/${randomUUID()}`, stored);
    const { baseUrl, caCertificate, tokens } = description;
    const env = { NODE_EXTRA_CA_CERTS: caCertificate, RECORDS_TOKEN: tokens.recordsSync };
    const importing = async (lines: string) => {
      const args = ['contacts', file, '--url', baseUrl, '--same', lines];
      const running = await runForTest([process.execPath, 'tools/import/import-file.ts', ...args], env);
      return [await running.ended, running.output().trimEnd().split('\n').at(-1)];
    };
    const none = '--same: Zeile 3 ähnelt keinem gespeicherten Kontakt.';
    expect(await importing('2,3')).toEqual(['exit code 2', none]);
    expect(await importing('2')).toEqual(['exit code 0', 'Fertig: 1 angelegt, 1 geändert.']);
  });

  test('accept: the person signs in once; Ctrl-C ends it in order, and leaves nothing', async () => {
    const { baseUrl, tokens } = stack().description;
    const accepting = await command(
      'tools/verify/verify.ts',
      'deployment',
      '--base-url',
      baseUrl,
      '--no-gateway',
    );
    await signIn(accepting, people.administrator);
    await shows(accepting, /^ok +E2\.2 /m);
    accepting.child.kill('SIGINT');
    expect(await accepting.ended, accepting.output()).toBe('exit code 2');
    expect(accepting.output()).toMatch(
      /\n\d+ rules hold, 0 differ, \d+ were not probed\nStopped at rule E\d\.\d: interrupted \(SIGINT\)\n$/,
    );
    const project = await fetch(`${baseUrl}/api/v1/projects/acce97ed-0000-4000-8000-000000000001`, {
      headers: { authorization: `Bearer ${tokens.administrator}` },
    });
    expect(project.status).toBe(404);
  });

  requires('bash', 'git', 'a work tree of git').test(
    'accept: a pipeline, which installs no package and has no user, probes what needs neither',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'without-packages-'));
      await copyRepository(folder);
      const { baseUrl } = stack().description;
      const program = join(folder, 'tools/verify/verify.ts');
      const accepting = await runForTest([
        process.execPath,
        program,
        'deployment',
        '--base-url',
        baseUrl,
        '--no-gateway',
      ]);
      expect(await accepting.ended, accepting.output()).toBe('exit code 0');
      expect(accepting.output()).toMatch(
        /\n4 rules hold, 0 differ, 18 were not probed, 2 do not apply here\n$/,
      );
    },
  );

  test('accept: a person who declines ends it before the first step', async () => {
    const accepting = await command(
      'tools/verify/verify.ts',
      'deployment',
      '--base-url',
      stack().description.baseUrl,
    );
    await signIn(accepting, { email: 'cancel' });
    expect(await accepting.ended).toBe('exit code 2');
    expect(accepting.output()).toMatch(/\nStopped: The sign-in was declined\.\n$/);
  });

  test('without ids, import says what is missing', async () => {
    const importing = await runForTest([
      process.execPath,
      'tools/import/import-file.ts',
      'contacts',
      'package.json',
      '--url',
      stack().description.baseUrl,
    ]);
    expect(await importing.ended).toBe('exit code 2');
    expect(importing.output()).toMatch(/--tenant or IDP_TENANT_ID is missing\./);
  });
}
