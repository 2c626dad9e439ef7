import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { people } from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { identityRules, requireProvider } from '../../../tools/verify/identity-rules.ts';
import { Library, unit } from '../../../tools/verify/library/library.ts';
import { libraryRules } from '../../../tools/verify/library/rules.ts';
import { wholeFileRule } from '../../../tools/verify/library/setting-rules.ts';
import { linesOf, summaryOf } from '../../../tools/verify/report.ts';
import { probeAll, type Rule, type Run } from '../../../tools/verify/rule.ts';
import { standInTargets, type StandInTargets } from '../../../tools/verify/stand-in-targets.ts';
import { requireTextProvider, textRules } from '../../../tools/verify/text-rules.ts';
import { type Change, changing } from '../../support/change.ts';

let standIns: StandInTargets;
let change: Change | undefined;
const waits: number[] = [];
/** The requests of each rule, as {@link Change.line} sees them, to a library that does nothing wrong. */
const requestsOf = new Map<string, string[]>();
let ofRule: string[] = [];

beforeAll(async () => {
  standIns = await standInTargets({
    largestBytes: 1,
    wait: async (ms) => void waits.push(ms),
    around: changing(() => change),
    onRequest: (method, url) => ofRule.push(`${method} ${decodeURIComponent(url)}`),
  });
  const recorded = libraryRules.map((rule) => ({
    ...rule,
    probe(library: Library) {
      requestsOf.set(rule.id, (ofRule = []));
      return rule.probe(library);
    },
  }));
  expect(seenIn(await libraryWith(undefined, recorded)).differing).toEqual([]);
});
afterAll(() => standIns?.[Symbol.asyncDispose]());
afterEach(() => (change = undefined));

const onOutcome = () => undefined;

async function libraryWith(changed: Change | undefined, rules = libraryRules): Promise<Run> {
  waits.length = 0;
  const library = await Library.create(await standIns.library(), '_verify-test');
  change = changed;
  const requireTarget = () => library.requireFolder();
  const run = await probeAll(rules, library, { onOutcome, requireTarget });
  change = undefined;
  await library.remove();
  expect(library.leftovers.left).toEqual([]);
  return run;
}

/** With 20 MiB in each of 30 runs, this file takes 16.8 s of processor time; with 3 MiB where the size decides nothing, 13 s. */
const lightRules: readonly Rule<Library>[] = libraryRules.map((rule) =>
  rule.id === 'A9.5' ? wholeFileRule(10 * unit, 5 * unit) : rule,
);

/** A rule sees what it always sees if none of its requests is changed. */
const rulesThatSee = ({ line }: Change, rules = lightRules) =>
  rules.filter(({ id }) => requestsOf.get(id)?.some((request) => line.test(request)));

interface Seen {
  readonly differing: readonly string[];
  readonly text: string;
}

function seenIn(run: Run): Seen {
  expect(run.stopped).toBeUndefined();
  const differing = run.outcomes.filter(({ holds }) => holds === false);
  return {
    differing: differing.map(({ id }) => id),
    text: [...differing.map(linesOf), summaryOf(run)].join('\n'),
  };
}

/** JSON without a property, at any depth. */
const without =
  (name: string) =>
  (body: unknown): unknown =>
    JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === name ? undefined : value)));

const behaviorIn = (from: string, to: string) => ({
  url: (url: string) => url.replace(`conflictBehavior=${from}`, `conflictBehavior=${to}`),
});
const behaviorInItem = (from: string, to: string) => ({
  requestBody: (body: any) =>
    JSON.parse(
      JSON.stringify(body).replace(`conflictBehavior":"${from}"`, `conflictBehavior":"${to}"`),
    ) as unknown,
});
const content = /^PUT .*:\/content/;
const session = /createUploadSession/;
const download = /download\.aspx/;
const children = /^GET .*\/children/;

/** Once, for the file that was just replaced. */
function firstVersion(): Change {
  let puts = 0;
  const byId = /(items\/[^/:]+)\/content$/;
  return {
    line: /Neuer Stand\.txt:\/content|^GET .*items\/[^/:]+\/content$/,
    respond({ method }) {
      if (method === 'PUT') puts += 1;
      return undefined;
    },
    url(url) {
      if (puts < 2 || !byId.test(url)) return url;
      puts = 0;
      return url.replace(byId, '$1/versions/1.0/content');
    },
  };
}

// What a library does wrongly, the rules that name it and no others, and what the lines of a run say.
test.each<[what: string, change: Change, rules: readonly string[], says: RegExp]>([
  [
    'overwrites although a PUT says fail',
    { line: content, ...behaviorIn('fail', 'replace') },
    ['A3.3', 'A8.3'],
    /Do not go live: documents could be lost \(A8\.3\)/,
  ],
  [
    'overwrites although a PUT says fail, and responds 409 nevertheless',
    {
      line: /^PUT .*conflictBehavior=fail/,
      ...behaviorIn('fail', 'replace'),
      status: (status) => (status === 200 ? 409 : status),
    },
    ['A8.3'],
    /409; "name" has the new content/,
  ],
  [
    'overwrites although a PUT says rename, and responds 201 nevertheless',
    {
      line: /^PUT .*conflictBehavior=rename/,
      ...behaviorIn('rename', 'replace'),
      status: (status) => (status === 200 ? 201 : status),
    },
    ['A8.5'],
    /201; "name" has the new content/,
  ],
  [
    'renames although a PUT says replace',
    { line: content, ...behaviorIn('replace', 'rename') },
    ['A8.4'],
    /Do not go live/,
  ],
  [
    'overwrites although a PUT says rename',
    { line: content, ...behaviorIn('rename', 'replace') },
    ['A8.5'],
    /Do not go live/,
  ],
  [
    'overwrites although a session says fail',
    { line: session, ...behaviorInItem('fail', 'replace') },
    ['A6.4', 'A7.11'],
    /Do not go live: documents could be lost \(A6\.4\)/,
  ],
  [
    'renames although a session says replace',
    { line: session, ...behaviorInItem('replace', 'rename') },
    ['A6.2', 'A6.5'],
    /Do not go live/,
  ],
  [
    'overwrites although a session says rename',
    { line: session, ...behaviorInItem('rename', 'replace') },
    ['A6.6'],
    /Do not go live/,
  ],
  [
    'creates a second folder of a name',
    { line: /^POST .*\/children/, ...behaviorInItem('fail', 'rename') },
    ['A4.1', 'A4.4'],
    /Do not go live/,
  ],
  [
    'returns the existing folder although fail was said',
    { line: /^POST .*\/children/, ...behaviorInItem('fail', 'replace') },
    ['A4.1', 'A4.4'],
    /Do not go live/,
  ],
  [
    'has items without eTag',
    { line: /^(GET|PUT) .*drives/, edit: without('eTag') },
    ['A8.6', 'A8.7'],
    /4 of 4 responses without eTag/,
  ],
  [
    'has lists without eTag',
    { line: children, edit: without('eTag') },
    ['A8.6'],
    /1 of 4 responses without eTag/,
  ],
  [
    'deletes whatever If-Match says',
    { line: /^DELETE .*drives/, withoutRequestHeader: 'if-match' },
    ['A10.1'],
    /Do not go live/,
  ],
  [
    'replaces whatever If-Match says',
    { line: /^PUT .*\/content/, withoutRequestHeader: 'if-match' },
    ['A8.7'],
    /200, with its tag 200/,
  ],
  [
    'counts what is below the children',
    { line: /^GET .*items\/[^/:]+$/, edit: recursiveCount },
    ['A5.3'],
    /a file and a folder with 2 files: childCount 4/,
  ],
  [
    'sends pages without nextLink',
    { line: children, edit: without('@odata.nextLink') },
    ['A5.1'],
    /Do not go live/,
  ],
  [
    'has another id after a move',
    { line: /^GET .*items\/[^/:]+$/, edit: (body) => ({ ...body, parentReference: {} }) },
    ['A4.5'],
    /Do not go live/,
  ],
  [
    'knows names in one case only',
    {
      line: /^GET .*GROß UND KLEIN/,
      respond: () => ({ status: 404, body: { error: { code: 'itemNotFound' } } }),
    },
    ['A2.1'],
    /A2\.1/,
  ],
  [
    'calls a missing item a bad request',
    { line: /^GET .*fehlt\.txt/, status: () => 400 },
    ['A2.4'],
    /400 itemNotFound/,
  ],
  [
    'reports replaced files as new',
    { line: content, status: (status) => (status === 200 ? 201 : status) },
    ['A8.1', 'A8.4'],
    /201, 201/,
  ],
  [
    'sends parts without Content-Range',
    { line: download, withoutHeader: 'content-range' },
    ['A9.1'],
    /range 206, no Content-Range/,
  ],
  ['ignores ranges', { line: download, withoutRequestHeader: 'range' }, ['A9.1'], /range 200/],
  [
    'sends downloads without Content-Disposition',
    { line: download, withoutHeader: 'content-disposition' },
    ['A9.4'],
    /no Content-Disposition/,
  ],
  [
    'names another file in Content-Disposition',
    { line: download, headers: { 'Content-Disposition': 'attachment; filename=download.aspx' } },
    ['A9.4'],
    /another name/,
  ],
  [
    'hides downloads from pages',
    { line: download, withoutHeader: 'access-control-allow-origin' },
    ['A9.3'],
    /not readable/,
  ],
  [
    'ignores deferCommit',
    { line: session, requestBody: (body) => ({ ...body, deferCommit: false }) },
    ['A7.5', 'A7.6', 'A7.7'],
    /before the POST 200/,
  ],
  [
    'keeps canceled sessions',
    { line: /^DELETE .*uploadSession/, respond: () => ({ status: 204 }) },
    ['A7.8'],
    /204, then 200/,
  ],
  [
    'lets no page read the responses to fragments',
    { line: /^PUT .*uploadSession/, withoutHeader: 'access-control-allow-origin' },
    ['A7.9'],
    /fragment 202, not readable/,
  ],
  [
    'lets no page send fragments',
    { line: /^OPTIONS .*uploadSession/, withoutHeader: 'access-control-allow-origin' },
    ['A7.9'],
    /not allowed/,
  ],
  [
    'says nothing of the next range',
    { line: /^PUT .*uploadSession/, edit: without('nextExpectedRanges') },
    ['A7.1'],
    /next undefined/,
  ],
  [
    'evaluates only the first part of a batch',
    { line: /batch/, edit: ({ responses }) => ({ responses: responses.slice(0, 1) }) },
    ['A10.4'],
    /A10\.4/,
  ],
  [
    'sends 1 MiB of a download, as if it were whole',
    { line: download, cutAt: 1024 ** 2 },
    ['A9.5'],
    /Do not go live: documents could be lost \(A9\.5\)/,
  ],
  [
    'says of a move that it was done, and does not do it',
    { line: /^PATCH .*items/, requestBody: without('parentReference') },
    ['A4.5'],
    /200, not moved, not renamed/,
  ],
  [
    'says of a new name that it has it, and keeps the old one',
    { line: /^PATCH .*items/, requestBody: without('name') },
    ['A4.5'],
    /200, moved, not renamed/,
  ],
  [
    'creates a folder, and says the id of another one',
    {
      line: /^POST .*items\/[^/]+\/children/,
      edit: (body) => ({ ...body, id: body.parentReference?.id ?? body.id }),
    },
    ['A4.5', 'A5.1', 'A5.3', 'A6.4', 'A6.5', 'A6.6', 'A8.3', 'A8.4', 'A8.5'],
    /Do not go live/,
  ],
  [
    'repeats an item of the first page on the second, in place of another',
    {
      line: /skiptoken/,
      edit: (body) => ({ ...body, value: body.value.map((item: object) => ({ ...item, name: 'b.txt' })) }),
    },
    ['A5.1'],
    /2 and 1 items, 1 of 3 missing/,
  ],
  [
    'lists a file that was deleted',
    {
      line: children,
      edit: (body) => ({
        ...body,
        value: [...(body.value ?? []), { id: 'x', name: 'Löschen.txt', eTag: 'x' }],
      }),
    },
    ['A10.1', 'A5.1', 'A6.4', 'A6.5', 'A6.6', 'A8.3', 'A8.4', 'A8.5'],
    /412 .*204, 404 .*, and still listed/,
  ],
  [
    'stores other sizes than were sent',
    {
      line: content,
      edit: (body) => ({ ...body, ...(typeof body.size === 'number' && { size: body.size + 1 }) }),
    },
    ['A8.1', 'A8.2'],
    /sizes 5,5, sent 4,4/,
  ],
  [
    'has another eTag at each reading',
    { line: /^GET .*items\/[^/:]+$/, edit: (body) => ({ ...body, eTag: '"x"' }) },
    ['A8.6'],
    /another eTag without a change/,
  ],
  [
    'has an eTag that never changes',
    { line: /^(?:GET|PUT) .*drives/, edit: (body) => fixedTags(body) },
    ['A8.6', 'A8.7'],
    /the same eTag after a change/,
  ],
  [
    'sends the first version of a file that was replaced',
    firstVersion(),
    ['A8.8'],
    /1 of 2 with other content/,
  ],
  [
    'honors only ranges that have an end',
    {
      line: download,
      respond({ headers }) {
        if (/^bytes=\d+-$/.test(headers.range ?? '')) delete headers.range;
        return undefined;
      },
    },
    ['A9.1'],
    /without an end 200, other bytes/,
  ],
  [
    'sends the last version as each earlier one',
    { line: /^GET .*\/versions\/.+\/content/, url: (url) => url.replace(/\/versions\/[^/]+/, '') },
    ['A18.1'],
    /2 versions after two PUTs, the first with other content/,
  ],
  [
    'answers a batch with another item',
    {
      line: /batch/,
      edit: ({ responses }) => ({
        responses: responses.map((part: object) => ({ ...part, body: { id: 'x' } })),
      }),
    },
    ['A10.4'],
    /200, 404, with another item/,
  ],
  ['gives no request-id', { line: /drives/, withoutHeader: 'request-id' }, ['A10.5'], /request-id absent/],
])('a library that %s', async (_what, changed, rules, says) => {
  const isOfWholeFiles = rules.includes('A9.5');
  const { differing, text } = seenIn(
    await libraryWith(changed, rulesThatSee(changed, isOfWholeFiles ? libraryRules : lightRules)),
  );
  expect(differing.toSorted()).toEqual(rules.toSorted());
  expect(text).toMatch(says);
});

/** JSON in which each eTag is the same. */
const fixedTags = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === 'eTag' ? '"1"' : value)));

/** As if the two files of the folder below were counted too. */
function recursiveCount(body: any): unknown {
  const { folder, name } = body;
  return name === 'Zahl' ? { ...body, folder: { childCount: folder.childCount + 2 } } : body;
}

const denied = (status: number, code: string) => () => ({
  status,
  body: { error: { code } },
});
const createsSession = (name: string) => new RegExp(`^POST .*${name}.*createUploadSession`);

// What one rule says where its requests end otherwise than it can judge.
test.each<[what: string, id: string, change: Change, holds: false | null, seen: string]>([
  [
    'from which a stored file cannot be read',
    'A8.3',
    { line: download, respond: denied(404, 'itemNotFound') },
    null,
    'a stored file cannot be read (404 itemNotFound)',
  ],
  [
    'that sends content itself',
    'A9.1',
    { line: /^GET .*items\/[^/:]+\/content$/, respond: () => ({ status: 200, body: 'abcdef' }) },
    false,
    '200',
  ],
  [
    'whose user may not read the own profile',
    'A10.2',
    { line: /\/me(?:\?|$)/, respond: denied(403, 'accessDenied') },
    null,
    '403 accessDenied; needs User.Read in the token',
  ],
  [
    'whose user has no OneDrive',
    'A10.3',
    { line: /\/me\/drive$/, respond: denied(404, 'itemNotFound') },
    null,
    '404 itemNotFound; needs a user with a OneDrive',
  ],
  [
    'in which a file cannot be checked out',
    'A10.6',
    { line: /\/checkout$/, respond: denied(403, 'accessDenied') },
    null,
    'checkout 403 accessDenied',
  ],
  [
    'whose first page has no address of the next',
    'A5.1',
    { line: children, edit: without('@odata.nextLink') },
    false,
    '2 items, no nextLink',
  ],
  [
    'that creates no session without an annotation',
    'A6.3',
    { line: createsSession('Vorgabe'), respond: denied(400, 'invalidRequest') },
    false,
    '400 invalidRequest',
  ],
  [
    'that creates no session',
    'A7.1',
    { line: createsSession('Teile'), respond: denied(503, 'serviceNotAvailable') },
    false,
    'the probe failed: Error serviceNotAvailable',
  ],
  [
    'that does not list versions',
    'A18.1',
    { line: /\/versions$/, respond: denied(403, 'accessDenied') },
    null,
    '403 accessDenied',
  ],
  [
    'that is full',
    'A9.5',
    { line: /^PUT .*uploadSession/, respond: denied(507, 'quotaLimitReached') },
    false,
    '507 quotaLimitReached',
  ],
])('a library %s', async (_what, id, changed, holds, seen) => {
  const { outcomes } = await libraryWith(
    changed,
    libraryRules.filter((rule) => rule.id === id),
  );
  expect(outcomes.map((outcome) => [outcome.id, outcome.holds, outcome.seen])).toEqual([[id, holds, seen]]);
});

test('what takes a second user is skipped without one', async () => {
  const { second: _, hide: __, ...target } = await standIns.library();
  const library = await Library.create(target, '_verify-test');
  const ids = new Set(['A5.4', 'A10.6', 'A18.2']);
  const rules = libraryRules.filter(({ id }) => ids.has(id));
  const { outcomes } = await probeAll(rules, library, { onOutcome });
  await library.remove();
  expect(outcomes.map(({ id, holds, seen }) => [id, holds, seen])).toEqual([
    ['A5.4', null, 'needs a second user from whom a person hides one file'],
    ['A18.2', null, 'needs a second user'],
    ['A10.6', null, 'needs a second user'],
  ]);
});

test('a library that keeps throttling ends the run', async () => {
  const throttled = Array.from({ length: 20 }, denied(429, 'activityLimitReached'));
  const always: Change = { line: /items.*children/, respond: () => throttled.pop() };
  const { stopped, outcomes } = await libraryWith(
    always,
    libraryRules.filter(({ id }) => id === 'A5.2'),
  );
  expect([stopped?.reason, outcomes]).toEqual(['The target keeps throttling; try again in an hour.', []]);
  expect(waits).toHaveLength(4);
});

test('a library that throttles is asked again when Retry-After says, and no wait is claimed that was not seen', async () => {
  const body = { error: { code: 'activityLimitReached' } };
  const responses = [
    { status: 429, body, headers: { 'Retry-After': '3' } },
    { status: 429, body },
  ];
  const twice: Change = { line: /drives/, respond: () => responses.shift() };
  const { differing, text } = seenIn(await libraryWith(twice));
  expect(differing).toEqual(['A10.7', 'A10.8']);
  expect(text).toContain('1 of 2 with Retry-After');
  expect(text).not.toMatch(/waits? as Retry-After/);
  expect(waits).toEqual([3_000, 10_000]);
});

interface Identity {
  readonly claims?: Record<string, unknown>;
  readonly lifetimeSeconds?: number;
  readonly token?: (token: string) => string;
  /** Null: none. */
  readonly secret?: string | null;
  readonly change?: Change;
  readonly consented?: readonly string[];
}

const expectsSecret = 'needs IDP_API_CLIENT_SECRET, a client secret of the API, which you remove afterwards';
const seconds = () => Math.floor(Date.now() / 1000);
const byAnother = (token: string) => {
  const [head, , signature] = token.split('.');
  const claims = { ...decodeJwt(token), roles: ['Administrator'] };
  return [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
};

// What a tenant or a token has wrongly.
test.each<[what: string, identity: Identity, rules: readonly string[], says: RegExp]>([
  ['that has expired', { lifetimeSeconds: -600 }, ['B4.4', 'B4.6'], /expired 10 minutes ago/],
  ['that never ends', { claims: { exp: undefined } }, ['B4.4', 'B4.6'], /no exp/],
  ['that is not yet valid', { claims: { nbf: seconds() + 1200 } }, ['B4.6'], /valid only in \d+ minutes/],
  ['whose claims somebody changed', { token: byAnother }, ['B4.1'], /its signature does not verify/],
  ['of another tenant', { claims: { tid: 'c0ffee00-0000-4000-8000-000000000000' } }, ['B4.2'], /tid another/],
  [
    'for another API',
    { claims: { aud: 'c0ffee00-0000-4000-8000-000000000000' } },
    ['B4.2'],
    /audience another/,
  ],
  ['without the scope', { claims: { scp: 'User.Read' } }, ['B4.3'], /scopes User\.Read/],
  ['without roles', { claims: { roles: undefined } }, ['B4.3'], /roles none/],
  [
    'of a key set without its key',
    { change: { line: /keys$/, edit: () => ({ keys: [] }) } },
    ['B4.1'],
    /its key is not listed/,
  ],
  [
    'of an issuer that discovery does not name',
    {
      change: {
        line: /openid-configuration/,
        edit: (body) => ({ ...body, issuer: 'https://issuer.example' }),
      },
    },
    ['B4.5'],
    /another issuer/,
  ],
  [
    'exchanged for one of another audience',
    {
      change: {
        line: /oauth2\/v2\.0\/token/,
        edit: (body) => ({ ...body, access_token: standIns.described.tokens.projectManager }),
      },
    },
    ['B1.4'],
    /seen: 401/,
  ],
  [
    'exchanged for one of another person',
    {
      change: {
        line: /v1\.0\/me$/,
        edit: (body) => ({ ...body, id: 'c0ffee00-0000-4000-8000-000000000000' }),
      },
    },
    ['B1.4'],
    /200, another person/,
  ],
  ['without consent', { consented: ['User.Read'] }, ['B1.1'], /AADSTS65001\n.*Grant admin consent/],
  [
    'exchanged with a wrong secret',
    { secret: 'wrong' },
    ['B1.1'],
    /AADSTS7000215\n.*IDP_API_CLIENT_SECRET is wrong/,
  ],
])(
  'a token %s',
  async (_what, { claims, lifetimeSeconds, token, secret, change: changed, consented }, rules, says) => {
    const { identityProvider } = standIns;
    const { registration } = identityProvider;
    if (consented) identityProvider.registration = { ...registration, consentedScopes: consented };
    const issued = await identityProvider.accessToken(people.projectManager, {
      ...(claims && { claims }),
      ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
    });
    const target = {
      ...(await standIns.identity()),
      token: token?.(issued) ?? issued,
      ...(typeof secret === 'string' && { clientSecret: secret }),
    };
    change = changed;
    const run = await probeAll(identityRules, target, {
      onOutcome,
      requireTarget: () => requireProvider(target),
    });
    identityProvider.registration = registration;
    const { differing, text } = seenIn(run);
    expect(differing.toSorted()).toEqual(rules.toSorted());
    expect(text).toMatch(says);
    // Only a token that is valid in itself shows whether consent is missing.
    if (!rules.includes('B1.1')) expect(text).not.toContain('consent for these');
  },
);

// What an exchange cannot show.
test.each<[what: string, id: string, identity: Identity, seen: string]>([
  ['without a secret', 'B1.1', { secret: null }, expectsSecret],
  [
    'for a person whose profile Graph does not show',
    'B1.4',
    { change: { line: /v1\.0\/me$/, respond: denied(403, 'accessDenied') } },
    '403; needs User.Read in the token',
  ],
])('an exchange %s is not judged', async (_what, id, { secret, change: changed }, seen) => {
  const { clientSecret, ...target } = await standIns.identity();
  change = changed;
  const rules = identityRules.filter((rule) => rule.id === id);
  const given = secret === null ? target : { ...target, clientSecret };
  const { outcomes } = await probeAll(rules, given, { onOutcome });
  expect(outcomes.map((outcome) => [outcome.holds, outcome.seen])).toEqual([[null, seen]]);
});

const models = /^GET .*models/;

test('a provider of texts without a list of models is not judged by it', async () => {
  change = { line: models, respond: () => ({ status: 405, body: {} }) };
  const rules = textRules.filter(({ id }) => id === 'C1');
  const { outcomes } = await probeAll(rules, await standIns.texts(), { onOutcome });
  expect(outcomes.map(({ holds, seen }) => [holds, seen])).toEqual([
    [null, '405; a provider that has this route'],
  ]);
});

// What a provider of texts does wrongly.
test.each<[what: string, outcome: string | Change, rules: readonly string[], says: RegExp]>([
  ['writes prose instead of JSON', 'no-json', ['C2', 'C3'], /does not keep to the schema/],
  ['writes JSON of another shape', 'wrong-shape', ['C2', 'C3'], /does not keep to the schema/],
  ['responds with plain text', 'plain-text', ['C2', 'C3'], /does not keep to the schema/],
  [
    'has no such model',
    { line: models, respond: () => ({ status: 404, body: { error: { code: 'model_not_found' } } }) },
    ['C1'],
    /404 model_not_found/,
  ],
  [
    'switches the model off soon',
    {
      line: models,
      edit: (body) => ({
        ...body,
        shutdown_date: new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10),
      }),
    },
    ['C1'],
    /ends in (?:29|30) days/,
  ],
  [
    'rejects the key',
    {
      line: /models|completions/,
      respond: () => ({ status: 401, body: { error: { code: 'invalid_api_key' } } }),
    },
    ['C1', 'C2', 'C3'],
    /does not accept AI_API_KEY[^]*rejected the key of this service \(AI_API_KEY\)/,
  ],
  [
    'cuts its text, as if it were whole',
    { line: /completions/, edit: (body) => cutTexts(body) },
    ['C2', 'C3'],
    /faults/,
  ],
  ['declines to write', 'refusal', ['C2', 'C3'], /declined to write/],
])('a provider of texts that %s', async (_what, outcome, rules, says) => {
  const target = await standIns.texts();
  if (typeof outcome === 'string') await switchTo({ always: outcome });
  else change = outcome;
  const run = await probeAll(textRules, target, {
    onOutcome,
    requireTarget: () => requireTextProvider(target),
  });
  await switchTo([]);
  const { differing, text } = seenIn(run);
  expect(differing).toEqual(rules);
  expect(text).toMatch(says);
  expect(text).not.toMatch(/slow/);
});

/** Without the second half of what the model wrote, in JSON that is still of the schema. */
function cutTexts(body: any): unknown {
  const cut = (text: string): string => {
    const written = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(
      Object.fromEntries(
        Object.entries(written).map(([name, value]) => [
          name,
          typeof value === 'string' && name !== 'subject' ? value.slice(0, value.length / 2) : value,
        ]),
      ),
    );
  };
  const choices = (body.choices as { message: { content: string } }[]).map((choice) => ({
    ...choice,
    message: { ...choice.message, content: cut(choice.message.content) },
  }));
  return { ...body, choices };
}

test('a provider of texts that is slow, and nothing else', async () => {
  let now = 0;
  const target = { ...(await standIns.texts()), now: () => (now += 25_000) };
  const { differing, text } = seenIn(await probeAll(textRules, target, { onOutcome }));
  expect(differing).toEqual(['C2', 'C3']);
  expect(text).toMatch(/25\.0 s[^]*The model is slow/);
});

async function switchTo(next: unknown): Promise<void> {
  const body = JSON.stringify(next);
  const response = await fetch(`${standIns.aiAdminUrl}/next`, { method: 'PUT', body });
  expect(response.status).toBe(200);
}
