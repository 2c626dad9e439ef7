import { randomUUID } from 'node:crypto';
import { type Deployment, type DeploymentRule, require } from './deployment.ts';
import { Difference } from '../rule.ts';
import {
  contact,
  contactId,
  content,
  documents,
  firstRemoval,
  MiB,
  project,
  projectId,
  requireWhole,
} from './sample.ts';

const folderName = '07_Protokolle';

const gateway =
  'Something between this machine and the service cuts, changes, or rejects bodies: compare the limits of the gateway (GATEWAY_UPLOAD_BOUND_MIB), of a web application firewall, and of a proxy.';

async function upload(deployment: Deployment, fileName: string, bytes: number): Promise<void> {
  const form = new FormData();
  form.set('folderName', folderName);
  form.set('conflictBehavior', 'replace');
  form.set('file', new File([content(bytes)], fileName));
  // With its length, as browsers send it.
  const encoded = new Response(form);
  const body = await encoded.arrayBuffer();
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  const { body: document } = await deployment.expect(201, 'POST', `${documents}/upload`, { body, headers });
  require(document.size === bytes, `the stored file has ${document.size} of ${bytes} bytes`);
  deployment.uploadedIds.push(document.id as string);
  const download = `/documents/${document.id}/download`;
  requireWhole((await deployment.expect(200, 'GET', download)).body as Buffer, bytes);
}

function requireHeader(headers: Headers, name: string, beginning: string): void {
  const value = headers.get(name);
  require(value?.startsWith(beginning) === true, value === null
    ? `${name} is missing`
    : `${name} is "${value}"`);
}

/** By which browsers keep files, and continue a download only with the same file. */
async function requireTags(deployment: Deployment, path: string): Promise<void> {
  const { headers } = await deployment.expect(206, 'GET', path, { headers: { range: 'bytes=0-0' } });
  const eTag = headers.get('etag');
  if (eTag === null) throw new Difference('etag is missing');
  const same = await deployment.send('GET', path, { headers: { 'if-none-match': eTag } });
  require(same.status === 304, `with If-None-Match of its ETag ${same.status}, expected 304`);
  const other = { range: 'bytes=0-0', 'if-range': '"of another file"' };
  const { status } = await deployment.send('GET', path, { headers: other });
  require(status === 200, `with If-Range of another file ${status}, expected 200, the whole file`);
}

const uploaded = (id: string, size: number): DeploymentRule => ({
  id,
  expected: `a file of ${size} MiB goes through the gateway, and comes back whole`,
  follows: gateway,
  // The smallest is what later rules read.
  stage: size === 1 ? 'makes' : 'uses',
  needs: 'user',
  requests: [`POST ${documents}/upload`, 'GET /documents/{id}/download'],
  run: (deployment) => upload(deployment, `${size} MiB.bin`, size * MiB),
});

/** E2: a project's files. */
export const documentRules: readonly DeploymentRule[] = [
  firstRemoval,
  {
    id: 'E2.2',
    expected: 'project and contact are stored, and only who may read them gets them',
    follows:
      'Read the line of the request in the log: without its tables, the service can store nothing. Where nobody gets what a user has read, a cache in front of the service gives it to strangers.',
    stage: 'makes',
    needs: 'user',
    requests: ['PUT /projects/{id}', 'PUT /contacts/{id}', 'GET /projects/{id}', 'GET /contacts/{id}'],
    async run(deployment) {
      await deployment.expect(201, 'PUT', `/projects/${projectId}`, { json: project });
      await deployment.expect(201, 'PUT', `/contacts/${contactId}`, { json: contact });
      const { body } = await deployment.expect(200, 'GET', `/projects/${projectId}`);
      require(body.name === project.name, 'the project has another name than the one sent');
      const { body: stored } = await deployment.expect(200, 'GET', `/contacts/${contactId}`);
      require(stored.company === contact.company, 'umlauts and quotes come back in another form');
      // The same address again, without a token.
      await deployment.expect(401, 'GET', `/contacts/${contactId}`, { as: 'nobody' });
    },
  },
  {
    id: 'E2.3',
    expected: 'the subfolders are created',
    follows:
      'npm run verify -w tools -- library and identity say what the library and the exchange of the token lack.',
    stage: 'makes',
    needs: 'user',
    requests: [`POST ${documents}/provision`],
    async run(deployment) {
      const { body } = await deployment.expect(200, 'POST', `${documents}/provision`);
      require(body.folders?.length === 8, `${body.folders?.length} folders`);
      deployment.rootId = body.root.id as string;
    },
  },
  uploaded('E2.4', 1),
  uploaded('E2.5', 20),
  {
    id: 'E2.6',
    expected: 'a file of 100 MiB is uploaded directly to the library',
    follows:
      'A proxy or firewall lets nothing of this size pass to the library, whose address bicep/README.md names.',
    stage: 'uses',
    needs: 'user',
    requests: [`POST ${documents}/uploads`, `POST ${documents}/uploads/{id}/complete`, 'UPLOAD PUT'],
    async run(deployment) {
      const size = 100 * MiB;
      const json = { folderName, fileName: '100 MiB.bin', size, conflictBehavior: 'replace' };
      const headers = { 'idempotency-key': randomUUID() };
      const { body } = await deployment.expect(201, 'POST', `${documents}/uploads`, { json, headers });
      const again = await deployment.send('POST', `${documents}/uploads`, { json, headers });
      require(again.status === 200 &&
        again.body.uploadId ===
          body.uploadId, `repeated with its Idempotency-Key, it is ${again.status} ${again.body?.code ?? ''}: the header does not arrive`);
      const fragment = content(10 * MiB);
      for (let start = 0; start < size; start += fragment.length) {
        const range = `bytes ${start}-${start + fragment.length - 1}/${size}`;
        const { status } = await deployment.toLibrary('UPLOAD', 'PUT', body.uploadUrl as string, {
          headers: { 'content-range': range },
          body: fragment,
        });
        require(status === 202, `the library returned ${status} for a fragment`);
      }
      const path = `${documents}/uploads/${body.uploadId}/complete`;
      const { body: document } = await deployment.expect(201, 'POST', path);
      require(document.size === size, `the stored file has ${document.size} bytes`);
      deployment.uploadedIds.push(document.id as string);
    },
  },
  {
    id: 'E2.7',
    expected: 'files are listed, downloaded in part, and linked',
    follows:
      'Interrupted downloads begin again, or join parts of two files: look at the gateway and the proxy first.',
    stage: 'uses',
    needs: 'user',
    requests: [`GET ${documents}`, 'GET /documents/{id}/download', 'GET /documents/{id}/link', 'LINK GET'],
    async run(deployment) {
      const { uploadedIds } = deployment;
      const { body } = await deployment.expect(200, 'GET', documents);
      const listed = new Set((body.items as { id: string }[]).map(({ id }) => id));
      const missing = uploadedIds.filter((id) => !listed.has(id)).length;
      require(missing === 0, `${missing} of ${uploadedIds.length} uploaded files are not listed`);
      const [id] = uploadedIds;
      if (id === undefined) throw new Difference('no upload has succeeded');
      const headers = { range: 'bytes=1000-1999' };
      const part = await deployment.expect(206, 'GET', `/documents/${id}/download`, { headers });
      const expected = content(2000).subarray(1000);
      require(expected.equals(part.body as Buffer), 'the range has other bytes than the file');
      requireHeader(part.headers, 'content-range', `bytes 1000-1999/${MiB}`);
      requireHeader(part.headers, 'content-disposition', 'attachment');
      await requireTags(deployment, `/documents/${id}/download`);
      const { body: link } = await deployment.expect(200, 'GET', `/documents/${id}/link`);
      const linked = await deployment.toLibrary('LINK', 'GET', link.downloadUrl as string);
      require(linked.status === 200, `the link returned ${linked.status}`);
      requireWhole(linked.body as Buffer, MiB);
    },
  },
  {
    id: 'E2.8',
    expected: 'files are deleted, and leave the list',
    follows: 'The library keeps them: look for a retention policy, a label, or a hold.',
    stage: 'uses',
    needs: 'user',
    requests: ['DELETE /documents/{id}', `GET ${documents}`],
    async run(deployment) {
      for (const id of deployment.uploadedIds) await deployment.expect(204, 'DELETE', `/documents/${id}`);
      const { body } = await deployment.expect(200, 'GET', documents);
      require(body.items.length === 0, `${body.items.length} are still listed`);
    },
  },
];
