import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { until } from '../../../agent/smb/tests/support/until.ts';
import { call as callStack } from '../../../local/stack/call.ts';
import { sampleProject } from '../../../local/stack/seeds.ts';
import type { Role, Stage } from './stage.ts';

export interface FolderRequest {
  readonly id: string;
  readonly status: string;
}

/** Calls the API as a person, without the page. */
export const call = <T>(
  { stack }: Stage,
  role: Role,
  method: string,
  path: string,
  body?: object | FormData,
): Promise<T> => callStack<T>(stack.description, role, method, path, body);

const made = new WeakMap<Stage, Promise<{ fulfilled: string; failed: string }>>();

/** Finished requests, created once for a stage: one fulfilled, one failed because a file is in its way. */
export function exampleRequests(stage: Stage): Promise<{ fulfilled: string; failed: string }> {
  let examples = made.get(stage);
  if (!examples) made.set(stage, (examples = makeRequests(stage)));
  return examples;
}

async function makeRequests(stage: Stage): Promise<{ fulfilled: string; failed: string }> {
  return {
    fulfilled: await outcomeOf(stage, 'Beispiele\\2026-0815_Kindertagesstätte Ährenweg'),
    failed: (await failedBehindFile(stage, 'Beispiele\\Archiv')).id,
  };
}

/** A request that failed because `path` is a file, and that file on this disk: once it is gone, the request succeeds. */
export async function failedBehindFile(
  stage: Stage,
  path: string,
): Promise<{ readonly id: string; readonly file: string }> {
  const file = join(stage.stack.fileServer.rootDirectory, ...path.split('\\'));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, 'a file');
  return { id: await outcomeOf(stage, `${path}\\2026`), file };
}

/** Id of a new request for this path, which has its outcome. */
async function outcomeOf(stage: Stage, targetPath: string): Promise<string> {
  const { id } = await call<FolderRequest>(stage, 'backOffice', 'POST', 'folder-requests', { targetPath });
  await ended(stage, id);
  return id;
}

/** Waits until the agent has reported the outcome of the request. */
export function ended(stage: Stage, id: string): Promise<FolderRequest> {
  return until(
    `the end of ${id}`,
    () => call<FolderRequest>(stage, 'administrator', 'GET', `folder-requests/${id}`),
    ({ status }) => status === 'FULFILLED' || status === 'FAILED',
  );
}

const otherServer = 'elsewhere.test';

/** A request that stays pending: it is for a server that the agent of the stage does not serve. Returns its id. */
export async function waitingElsewhere(stage: Stage, name = 'Ordner'): Promise<string> {
  const targetPath = `\\\\${otherServer}\\share\\${name}`;
  return (await call<FolderRequest>(stage, 'backOffice', 'POST', 'folder-requests', { targetPath })).id;
}

/** Claims the oldest of these, if there is one, with the key of an agent that is not running, which from then on serves their server. */
export const claimElsewhere = ({ stack: { description } }: Stage): Promise<FolderRequest> =>
  callStack(
    description,
    description.agents[1]!,
    'POST',
    'folder-requests/claim',
    { servers: [otherServer], relative: false },
    { 'user-agent': 'folder-agent/0.0.9 (old-host; linux)' },
  );

/** Reports it as failed, with the same key. */
export async function failElsewhere({ stack: { description } }: Stage, id: string): Promise<void> {
  const report = { status: 'FAILED', errorMessage: 'no' };
  await callStack(description, description.agents[1]!, 'PATCH', `folder-requests/${id}/status`, report);
}

/** What the service responds to someone who lacks a role, for a route of a page. */
export const forbidden = {
  status: 403,
  contentType: 'application/problem+json',
  body: JSON.stringify({ code: 'forbidden' }),
};

/** A file of the sample project. */
export async function exampleDocument(
  { stack }: Stage,
  folder = '07_Protokolle',
  name = 'Baubesprechung 1.txt',
): Promise<void> {
  const form = new FormData();
  form.set('folderName', folder);
  form.set('conflictBehavior', 'replace');
  form.set('file', new File(['Protokoll'], name, { type: 'text/plain' }));
  const path = `documents/projects/${sampleProject.id}/upload`;
  await callStack(stack.description, 'projectManager', 'POST', path, form);
}
