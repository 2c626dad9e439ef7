import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operations } from '../../functions/operations.ts';
import { people } from '../../local/stand-ins/identity-provider/people.ts';
import type { Access } from '../../lib/callers/caller.ts';
import { connect, ensureTables } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { Api } from '../support/api.ts';
import { startTestIdentityProvider } from '../support/identity.ts';
import { newStorage } from '../support/shared-azurite.ts';

// All folder requests are for administrators.
const queries: Readonly<Record<string, string>> = { 'list-folder-requests': '?requestedBy=me' };

const callersOf = (access: Access): string => {
  if (access.kind === 'agent') return 'an agent key';
  if (access.kind === 'anonymous') return 'anyone';
  const { anyOf, orApplication } = access;
  return [
    anyOf.toSorted().join(', ') || 'any signed-in user',
    ...(orApplication ? [orApplication] : []),
  ].join(' or ');
};

const requesters = 'Administrator, BackOffice, Management';
const anyRole = 'Administrator, BackOffice, Management, ProjectManager';
const readers = `${anyRole}, canCreateActivities or Records.Sync`;
const writers = 'Administrator or Records.Sync';

/** The rows of docs/http-contract.md, "Who may call what": a new operation belongs to one of them. */
const rows = [
  {
    row: 'documents',
    text: 'any of the four roles',
    callers: anyRole,
    operations: [
      'begin-direct-upload',
      'cancel-direct-upload',
      'change-document',
      'check-library-access',
      'complete-direct-upload',
      'delete-document',
      'download-document',
      'link-document',
      'link-document-version',
      'list-direct-uploads',
      'list-document-folders',
      'list-document-versions',
      'list-project-documents',
      'provision-project-folders',
      'read-refresh-progress',
      'refresh-project-documents',
      'search-documents',
      'upload-project-document',
    ],
  },
  {
    row: "one's own folder requests",
    text: 'BackOffice, Management, Administrator',
    callers: requesters,
    operations: [
      'batch-folder-requests',
      'correct-folder-request',
      'get-folder-request',
      'list-folder-requests',
      'request-folder',
      'withdraw-folder-request',
    ],
  },
  {
    row: 'the folder requests of others; agents, statistics, health of the parts',
    text: 'Administrator',
    callers: 'Administrator',
    operations: [
      'change-agent',
      'check-parts',
      'free-folder-request',
      'get-folder-request-statistics',
      'list-agents',
      'requeue-folder-request',
    ],
  },
  {
    row: 'claim, heartbeat, release, report',
    text: 'an agent key',
    callers: 'an agent key',
    operations: [
      'claim-folder-request',
      'heartbeat-folder-request',
      'release-folder-request',
      'report-folder-request',
    ],
  },
  {
    row: 'activities',
    text: '`canCreateActivities`',
    callers: 'canCreateActivities',
    operations: ['create-email', 'create-letter', 'generate-activity', 'list-templates'],
  },
  {
    row: 'reading projects and contacts',
    text: 'any of these, or an application with `Records.Sync`',
    callers: readers,
    operations: ['get-contact', 'get-project', 'list-contacts', 'list-projects'],
  },
  {
    row: 'writing projects and contacts',
    text: 'Administrator, or an application with `Records.Sync`',
    callers: writers,
    operations: [
      'batch-contacts',
      'batch-projects',
      'begin-contacts-sync',
      'begin-projects-sync',
      'delete-contact',
      'delete-project',
      'finish-contacts-sync',
      'finish-projects-sync',
      'put-contact',
      'put-project',
    ],
  },
  { row: '`GET /me`', text: 'any signed-in user', callers: 'any signed-in user', operations: ['get-me'] },
  {
    row: 'health, OpenAPI document',
    text: 'anyone',
    callers: 'anyone',
    operations: ['check-health', 'describe-api'],
  },
] as const;

test('GET /me names the roles of the caller, and exactly the operations that do not reject the caller', async () => {
  const [storage, idp] = await Promise.all([newStorage(), startTestIdentityProvider()]);
  try {
    const { tenantId, clientId } = idp.registration;
    const services = connect(
      readSettings({
        STORAGE_CONNECTION_STRING: storage.connectionString,
        IDP_TENANT_ID: tenantId,
        IDP_API_CLIENT_ID: clientId,
        IDP_AUTHORITY_HOST: idp.url,
        FOLDER_AGENT_API_KEYS: `agent:${'k'.repeat(32)}`,
      }),
    );
    await ensureTables(services);
    const api = new Api(services);
    const all = operations(services, '0.0.0');
    for (const person of Object.values(people)) {
      const token = await idp.accessToken(person);
      const callable: string[] = [];
      for (const { id, method, route } of all) {
        const path = route.slice('v1'.length).replaceAll(/\{\w+\}/g, 'none') + (queries[id] ?? '');
        const { status, body } = await api.call(method, path, {
          token,
          body: method === 'GET' ? undefined : {},
        });
        // An agent's operation rejects every user with 401.
        if (status !== 401 && body?.code !== 'forbidden') callable.push(id);
      }
      const { body: me } = await api.call('GET', '/me', { token });
      expect([person.name, me.operations]).toEqual([person.name, callable]);
      expect(new Set([...me.roles, ...me.permissions])).toEqual(new Set(person.roles));
    }
    const callers = Object.fromEntries(all.map(({ id, access }) => [id, callersOf(access)]));
    expect(callers).toEqual(
      Object.fromEntries(rows.flatMap((row) => row.operations.map((id) => [id, row.callers]))),
    );
  } finally {
    await idp.stop();
  }
}, 60_000);

test('the contract page has these rows, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/http-contract.md'), 'utf8');
  const [, table = ''] = /\n## Who may call what\n[^]*?\n\|---\|---\|\n([^]*?)\n\n/.exec(page) ?? [];
  expect(table.split('\n')).toEqual(rows.map(({ row, text }) => `| ${row} | ${text} |`));
});
