import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openApiText } from '../../../release/generate/generated.ts';
import { repositoryRoot } from '../../../release/repository-root.ts';
import { call } from '../../../local/stack/call.ts';
import { azureNode, azureNodePath } from '../../support/azure-node.ts';
import type { Stack } from '../../support/stack.ts';

/** What a package adds to the handlers: the Node that runs it, its document, and which function gets a request. */
export function packageStories(stack: () => Stack): void {
  test('the package runs on the version of Node that the template selects', async () => {
    const template = await readFile(join(repositoryRoot, 'bicep/main.bicep'), 'utf8');
    const [, selected] = /^param nodeVersion string = '(\d+)'$/m.exec(template) ?? [];
    // Other platforms than the one of CI have no such package of Node here.
    const exe =
      process.platform === 'linux' ? await readlink(`/proc/${stack().host.workerPid}/exe`) : azureNodePath;
    expect(exe).toBe(azureNodePath);
    const { stdout } = await promisify(execFile)(exe, ['--version']);
    expect(stdout).toBe(`v${azureNode.version}\n`);
    expect(azureNode.version.split('.')[0]).toBe(selected);
  });

  test('the package serves the document of the sources', async () => {
    const response = await fetch(`${stack().description.baseUrl}/api/v1/openapi.json`);
    expect(await response.json()).toEqual(JSON.parse(openApiText()));
  });

  test('the more specific of two matching routes is served', async () => {
    const { description } = stack();
    const project = { number: 'D-1', name: 'Ein Projekt, das so heißt' };
    await call(description, 'administrator', 'PUT', 'projects/download', project);
    // It also matches the download of a document with the id `projects`.
    const documents = 'documents/projects/download';
    expect(await call(description, 'projectManager', 'GET', documents)).toEqual({
      items: [],
      nextCursor: null,
      refreshedAt: null,
    });
  });

  test.each([
    ['documents/projects/unbekannt/upload', 'upload-project-document'],
    ['documents/unbekannt', 'unknown-route-post'],
  ])('POST %s returns 404 from %s', async (path, operation) => {
    const { baseUrl, tokens } = stack().description;
    const requestId = `order-${operation}`;
    const form = new FormData();
    form.set('folderName', '07_Protokolle');
    form.set('file', new File(['x'], 'x.txt'));
    const response = await fetch(`${baseUrl}/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.projectManager}`, 'x-request-id': requestId },
      body: form,
    });
    expect(response.status, await response.text()).toBe(404);
    await expect
      .poll(() => readFile(stack().logs.functions, 'utf8'))
      .toMatch(new RegExp(`"requestId":"${requestId}","operation":"${operation}"`));
  });
}
