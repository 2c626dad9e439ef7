import { join } from 'node:path';
import { expect, test } from 'vitest';
import { people } from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { TimerRuns } from '../../../lib/storage/timer-runs.ts';
import { Api } from '../../support/api.ts';
import { newTableName, tableClient } from '../../support/azurite.ts';
import { useWorld, world } from './use-world.ts';

const library = () => ({ DOCLIB_SITE_ID: world.drive.siteId, DOCLIB_DRIVE_ID: world.drive.driveId });

useWorld();

async function partsOf(changes: Record<string, string | undefined> = {}) {
  const { services } = await world.service({ ...library(), ...changes });
  const api = new Api(services);
  const token = await world.identity.accessToken(people.administrator);
  const read = async (): Promise<Record<string, object>> => {
    const { status, body } = await api.call('GET', '/health/parts', { token });
    expect(status).toBe(200);
    return Object.fromEntries(
      (body.parts as { part: string }[]).map(({ part, ...finding }) => [part, finding]),
    );
  };
  return { api, read, services };
}

test('every part is asked, in one request each, on each call', async () => {
  const { read } = await partsOf();
  await world.drive.admin('DELETE', '/requests');
  const ok = { state: 'ok' };
  expect(await read()).toEqual({
    library: ok,
    uploadDisk: { ...ok, uses: expect.stringMatching(/^(?:disk|memory)$/) },
    wordTemplates: ok,
    aiModel: ok,
  });
  expect(await world.drive.admin('GET', '/requests')).toHaveLength(1);
  expect(await world.prompts()).toMatchObject([{ path: expect.stringMatching(/\/models\/local$/) }]);
  await read();
  // What the provider said is shared for a minute.
  expect(await world.prompts()).toEqual([]);
});

test('every timer is shown with its last run', async () => {
  const { api, services } = await partsOf();
  const token = await world.identity.accessToken(people.administrator);
  const timers = async () => (await api.call('GET', '/health/parts', { token })).body.timers as object[];
  const names = ['maintain-folder-queue', 'maintain-uploads', 'check-ai-model', 'back-up-tables'];
  expect(await timers()).toEqual(names.map((timer) => ({ timer, state: 'unknown' })));
  await services.timerRuns.record('maintain-uploads', true);
  await services.timerRuns.record('back-up-tables', false);
  const at = expect.stringMatching(/^20\d\d-.*Z$/) as string;
  expect(await timers()).toMatchObject([
    { state: 'unknown' },
    { state: 'ok', ranAt: at, succeededAt: at },
    { state: 'unknown' },
    { state: 'failing', ranAt: at },
  ]);
});

test('timers whose table does not respond are unknown, and the parts are shown', async () => {
  const { services } = await partsOf();
  const timerRuns = new TimerRuns(tableClient(newTableName()), services.clock);
  const token = await world.identity.accessToken(people.administrator);
  const { status, body } = await new Api({ ...services, timerRuns }).call('GET', '/health/parts', { token });
  expect([status, body.parts.length]).toEqual([200, 4]);
  const states = (body.timers as { state: string }[]).map(({ state }) => state);
  expect(states).toEqual(Array.from(states, () => 'unknown'));
});

test('a bug in a check is no state of its part', async () => {
  const { services } = await partsOf();
  const modelEnd = () => {
    throw new TypeError('a bug');
  };
  const token = await world.identity.accessToken(people.administrator);
  const { status, body } = await new Api({ ...services, modelEnd }).call('GET', '/health/parts', { token });
  expect([status, body.code]).toEqual([500, 'internal_error']);
});

test.each([
  ['library', { DOCLIB_DRIVE_ID: 'b!other' }, { code: 'library_error', setting: 'DOCLIB_DRIVE_ID' }],
  [
    'library',
    {
      DOCLIB_SITE_ID:
        'firma.sharepoint.com,11111111-1111-4111-8111-111111111111,11111111-1111-4111-8111-111111111111',
    },
    { code: 'library_error', setting: 'DOCLIB_SITE_ID' },
  ],
  [
    'uploadDisk',
    { UPLOAD_DISK_BYTES: String(1024 ** 4) },
    { code: 'storage_unavailable', setting: 'UPLOAD_DISK_BYTES' },
  ],
  ['wordTemplates', { WORD_TEMPLATE_PATH: '/nowhere/letter.docx' }, { code: 'word_template_not_found' }],
  ['wordTemplates', { WORD_TEMPLATES: 'Angebot=/nowhere/offer.docx' }, { code: 'word_template_not_found' }],
  [
    'wordTemplates',
    { WORD_TEMPLATE_PATH: join(import.meta.dirname, 'world.ts') },
    { code: 'word_template_invalid' },
  ],
  ['aiModel', { AI_API_KEY: 'sk-wrong' }, { code: 'ai_provider_error', setting: 'AI_API_KEY' }],
])('%s with %o is failing, and the others are not', async (part, changes, expected) => {
  const { read } = await partsOf(changes);
  const { [part]: failing, ...others } = await read();
  expect(failing).toEqual({ state: 'failing', ...expected });
  expect(Object.values(others)).toMatchObject([{ state: 'ok' }, { state: 'ok' }, { state: 'ok' }]);
});

test('a model that the provider does not have is failing; a provider without this route is unknown', async () => {
  const put = (model: object | null) =>
    fetch(`${world.ai.adminUrl}/model`, { method: 'PUT', body: JSON.stringify(model) });
  await put(null);
  const { read } = await partsOf();
  expect((await read())['aiModel']).toEqual({
    state: 'failing',
    code: 'ai_provider_error',
    setting: 'AI_MODEL',
  });
  await put({});
  const other = await partsOf({ AI_BASE_URL: `${world.ai.url}/other` });
  expect((await other.read())['aiModel']).toEqual({ state: 'unknown' });
  const absent = await partsOf({ AI_BASE_URL: 'http://127.0.0.1:9' });
  expect((await absent.read())['aiModel']).toMatchObject({
    state: 'failing',
    code: 'ai_provider_unavailable',
  });
});

test('a call of /health before does not make an unanswered model look well', async () => {
  const { api, read } = await partsOf({ AI_API_KEY: 'sk-wrong' });
  await world.prompts();
  const [, parts] = await Promise.all([api.call('GET', '/health', { token: '' }), read()]);
  expect(parts['aiModel']).toEqual({ state: 'failing', code: 'ai_provider_error', setting: 'AI_API_KEY' });
  // One reading for both.
  expect(await world.prompts()).toHaveLength(1);
});

test('parts without settings are off, and an administrator without access learns nothing', async () => {
  const { read } = await partsOf({ AI_API_KEY: undefined, WORD_TEMPLATE_PATH: undefined });
  await world.drive.fault({ kind: 'error', status: 403, code: 'accessDenied' });
  const off = { state: 'off', code: 'not_configured' };
  expect(await read()).toEqual({
    library: { state: 'unknown', code: 'library_access_denied' },
    uploadDisk: expect.objectContaining({ state: 'ok' }),
    wordTemplates: off,
    aiModel: off,
  });
});

test('a site that has another address now is a setting to correct', async () => {
  const { read } = await partsOf();
  await world.drive.fault({ kind: 'error', status: 308, code: 'siteCollectionMoved' }, { times: null });
  const { library: failing } = await read();
  await world.drive.admin('DELETE', '/faults');
  expect(failing).toEqual({ state: 'failing', code: 'library_error', setting: 'DOCLIB_SITE_ID' });
});

test('what has failed since is shown, unless the caller was the reason', async () => {
  const { api, read, services } = await partsOf();
  const contactId = '11111111-1111-4111-8111-111111111111';
  await services.contacts.put(contactId, {
    externalId: null,
    company: null,
    title: null,
    firstName: null,
    lastName: 'Weber',
    street: null,
    houseNumber: null,
    zip: null,
    city: null,
    email: 'weber@bau.example',
  });
  const token = await world.identity.accessToken({
    ...people.activityAuthor,
    roles: ['canCreateActivities'],
  });
  const body = { activityType: 'Email', contactId, description: 'Bitte um Rückruf' };
  await world.next(['quota']);
  expect((await api.call('POST', '/activities/generate', { token, body })).status).toBe(503);
  await api.call('POST', '/activities/generate', { token, body: { ...body, contactId: 'unknown' } });
  expect(await read()).toEqual({
    library: { state: 'ok' },
    uploadDisk: expect.objectContaining({ state: 'ok' }),
    wordTemplates: { state: 'ok' },
    aiModel: {
      state: 'ok',
      lastFailure: { code: 'ai_provider_unavailable', at: expect.stringMatching(/^20.*Z$/) },
    },
  });
});

test('others than administrators may not ask', async () => {
  const { services } = await world.service(library());
  const token = await world.identity.accessToken(people.backOffice);
  const { status } = await new Api(services).call('GET', '/health/parts', { token });
  expect(status).toBe(403);
});
