import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { agentProgram } from '../support/built-agent.ts';
import { appDirectory } from '../support/built-functions.ts';
import { startStack } from '../support/stack.ts';
import { until } from '../../agent/smb/tests/support/until.ts';

interface Item {
  readonly id: string;
  readonly path: string;
}

interface Session {
  readonly path: string;
  readonly received: number;
}

// After 20 s, the former call of a key counts as dead.
const deadAfterMs = 30_000;

// A deployment, a refresh of secrets and a change of a setting end every instance while it works: learn.microsoft.com,
// azure-functions/flex-consumption-site-updates, the strategy Recreate. bicep/README.md, "Upgrade and going back".
test('what an update of the app ends can be repeated: each file is there once, and whole, and agents go on', async () => {
  const stack = await startStack({
    appDirectory: await appDirectory(),
    agentProgram: agentProgram(),
    agentSettings: { FOLDER_AGENT_POLL_INTERVAL_MS: '100', FOLDER_AGENT_MAX_BACKOFF_MS: '500' },
  });
  onTestFinished(() => stack.stop());
  const { baseUrl, tokens, samples, library } = stack.description;
  const api = (method: string, path: string, body?: FormData | string, key?: string): Promise<Response> =>
    fetch(`${baseUrl}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${tokens.administrator}`,
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
  const documents = `documents/projects/${samples.projectId}`;
  expect((await api('POST', `${documents}/provision`)).status).toBe(200);
  const files = async (): Promise<readonly string[]> =>
    ((await (await fetch(`${library.adminUrl}/items`)).json()) as Item[])
      .map(({ path }) => path.replace(/.*\//, ''))
      .filter((name) => name.endsWith('.bin'))
      .toSorted();

  // From small ones, which have ended, to large ones, which have not begun to be stored.
  const contents = Array.from({ length: 16 }, (_, at) => Buffer.alloc(1 + at * 400_000, `${at} `));
  const keys = contents.map(() => randomUUID());
  const upload = async (at: number): Promise<number> => {
    const form = new FormData();
    form.append('folderName', '07_Protokolle');
    form.append('file', new Blob([contents[at]!]), `${at}.bin`);
    const response = await api('POST', `${documents}/upload`, form, keys[at]);
    await response.arrayBuffer();
    return response.status;
  };
  const request = (at: number): Promise<Response> =>
    api('POST', 'folder-requests', JSON.stringify({ targetPath: `2031/${at}` }), keys[at]);
  const pid = stack.host.workerPid;
  const first = contents.map((_, at) => upload(at).catch(() => 0));
  const requested = contents.map((_, at) =>
    request(at).then(
      ({ status }) => status,
      () => 0,
    ),
  );
  await until('a first file', files, (names) => names.length > 0);
  const killedAtMs = Date.now();
  process.kill(pid, 'SIGKILL');
  const statuses = await Promise.all(first);
  await Promise.all(requested);
  // Otherwise this test shows nothing.
  expect(statuses.filter((status) => status >= 500 || status === 0).length).toBeGreaterThan(2);

  const isStored = (status: number): boolean => status === 200 || status === 201;
  const held: number[] = [];
  for (const at of contents.keys()) {
    // 409 while the former call may still run.
    const status = await until(
      `the upload ${at}`,
      () => upload(at),
      (last) => isStored(last) || (last === 409 && Date.now() - killedAtMs > deadAfterMs),
    );
    if (!isStored(status)) held.push(at);
    expect([200, 201]).toContain((await request(at)).status);
  }
  // What was ended after the creation of its session, and before its intent, holds the name until the session expires
  // (lib/project-documents/README.md, "After a crash"). The library has no byte of it.
  const sessions = (await (await fetch(`${library.adminUrl}/sessions`)).json()) as Session[];
  for (const at of held) {
    expect(sessions.filter(({ path }) => path.endsWith(`/${at}.bin`))).toMatchObject([{ received: 0 }]);
  }
  await fetch(`${library.adminUrl}/sessions`, { method: 'DELETE' });
  for (const at of held) expect(isStored(await upload(at)), `${at}, when its session has expired`).toBe(true);
  expect(await files()).toEqual(contents.map((_, at) => `${at}.bin`).toSorted());
  const { items } = (await (await api('GET', `${documents}?limit=100`)).json()) as {
    items: { id: string; fileName: string }[];
  };
  expect(items.map(({ fileName }) => fileName).toSorted()).toEqual(await files());
  for (const { id, fileName } of items) {
    const bytes = Buffer.from(await (await api('GET', `documents/${id}/download`)).arrayBuffer());
    expect(bytes.equals(contents[Number.parseInt(fileName, 10)]!), fileName).toBe(true);
  }
  await until(
    'all directories',
    async () =>
      ((await (await api('GET', 'folder-requests?limit=100')).json()) as { items: { status: string }[] })
        .items,
    (requests) =>
      requests.length === contents.length && requests.every(({ status }) => status === 'FULFILLED'),
  );
});
