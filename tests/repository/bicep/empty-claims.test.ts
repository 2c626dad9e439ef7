import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operations } from '../../../functions/operations.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import {
  claimRequest,
  explore,
  longestMs,
  policiesOf,
  policyTexts,
  type PolicyTexts,
  type Scenario,
} from '../../support/empty-claims-model.ts';
import {
  respond,
  type GatewayRequest,
  type GatewayResponse,
  type Policies,
} from '../../support/policy-run.ts';

// A multiple of 30 s, at which every entry ends.
const boundaryMs = 1_800_000_000_000;

/** The gateway with an empty cache, in front of a service that always responds in the same way. */
class Gateway {
  nowMs = boundaryMs;
  isCacheDown = false;
  forwarded = 0;
  readonly cache = new Map<string, { value: string; endsAtMs: number }>();
  readonly #claim: Policies;
  readonly #claimable: Policies;

  constructor(caches = true) {
    this.#claim = policiesOf('claim', policyTexts, caches);
    this.#claimable = policiesOf('claimable', policyTexts, caches);
  }

  claim(
    request: GatewayRequest = claimRequest,
    service: Pick<GatewayResponse, 'status'> & { idleSeconds?: number } = { status: 204, idleSeconds: 30 },
  ): GatewayResponse {
    return this.#call(this.#claim, request, service);
  }

  change(operation: string, status: number | undefined): GatewayResponse {
    return this.#call(
      this.#claimable,
      { operation, headers: {} },
      status === undefined ? undefined : { status },
    );
  }

  #call(
    policies: Policies,
    request: GatewayRequest,
    service: { status: number; idleSeconds?: number } | undefined,
  ): GatewayResponse {
    const run = respond(policies, request, {
      nowMs: () => this.nowMs,
      newGuid: () => `generation-${this.cache.size}-${this.nowMs}`,
    });
    let step = run.next();
    while (!step.done) {
      const { value } = step;
      if (value.kind === 'forward') {
        this.forwarded += 1;
        const { status = 0, idleSeconds } = service ?? {};
        // Every response of the service has its id.
        const headers = new Map([['x-request-id', 'id-1']]);
        if (idleSeconds !== undefined) headers.set('x-idle-seconds', String(idleSeconds));
        step = run.next(service && { status, headers });
      } else if (value.kind === 'lookup') {
        const entry = this.cache.get(value.key);
        const found = entry && entry.endsAtMs > this.nowMs ? entry.value : undefined;
        step = run.next(this.isCacheDown ? null : found);
      } else {
        if (value.kind === 'store')
          this.cache.set(value.key, { value: value.value, endsAtMs: this.nowMs + value.seconds * 1000 });
        step = run.next();
      }
    }
    return step.value;
  }
}

const withHeaders = (headers: Record<string, string>): GatewayRequest => ({
  ...claimRequest,
  headers: {
    ...claimRequest.headers,
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  },
});

describe('an empty claim', () => {
  test('is answered by the gateway until its entry ends, in the shape of the service’s response', () => {
    const gateway = new Gateway();
    expect(gateway.claim().headers.get('x-idle-seconds')).toBe('30');
    gateway.nowMs += 12_001;
    const { status, headers, body } = gateway.claim(withHeaders({ 'x-request-id': 'id-1' }));
    expect(gateway.forwarded).toBe(1);
    expect({ status, body, headers: Object.fromEntries(headers) }).toEqual({
      status: 204,
      body: '',
      headers: {
        'cache-control': 'no-store',
        'strict-transport-security': 'max-age=31536000',
        'x-content-type-options': 'nosniff',
        'x-idle-seconds': '18',
        'x-request-id': 'id-1',
      },
    });
    gateway.nowMs = boundaryMs + longestMs - 1;
    expect(gateway.claim().headers.get('x-idle-seconds')).toBe('1');
    expect(gateway.forwarded).toBe(1);
    gateway.nowMs += 1;
    gateway.claim();
    expect(gateway.forwarded).toBe(2);
  });

  test('counts from the claim, and ends with the service’s seconds or at the next multiple of 30 s', () => {
    for (const [afterMs, idleSeconds, seconds] of [
      [0, 30, 30],
      [0, 7, 7],
      [29_000, 30, 1],
      [10_000, 30, 20],
      [10_000, 20, 20],
      [10_000, 19, 19],
    ] as const) {
      const gateway = new Gateway();
      gateway.nowMs += afterMs;
      const claim = gateway.claim(claimRequest, { status: 204, idleSeconds });
      expect(claim.headers.get('x-idle-seconds')).toBe(String(seconds));
      gateway.nowMs += seconds * 1000 - 1;
      gateway.claim();
      expect(gateway.forwarded).toBe(1);
      gateway.nowMs += 1;
      gateway.claim();
      expect(gateway.forwarded).toBe(2);
    }
  });

  test.each([
    ['with another key', withHeaders({ 'x-api-key': 'key-of-hamburg' })],
    ['with another body', { ...claimRequest, body: '{"servers":["fs2"]}' }],
    ['without a body', { ...withHeaders({ 'content-length': '0' }), body: '' }],
    ['that asks for a current response', withHeaders({ 'cache-control': 'no-cache' })],
    ['whose body may have any length', withHeaders({ 'content-length': '' })],
    ['whose body is larger than any of an agent', withHeaders({ 'content-length': '100000' })],
  ])('%s is forwarded', (_kind, request) => {
    const gateway = new Gateway();
    gateway.claim();
    gateway.claim(request);
    expect(gateway.forwarded).toBe(2);
  });

  test('reaches the service every 30 s from an agent that polls every 3 s: the service does not see it as silent', () => {
    const gateway = new Gateway();
    gateway.nowMs += 11_500;
    const forwardedAtMs: number[] = [];
    for (const endsAtMs = gateway.nowMs + 150_000; gateway.nowMs < endsAtMs; gateway.nowMs += 3_000) {
      const before = gateway.forwarded;
      gateway.claim();
      if (gateway.forwarded > before) forwardedAtMs.push(gateway.nowMs);
    }
    const gapsMs = forwardedAtMs.slice(1).map((atMs, index) => atMs - (forwardedAtMs[index] ?? 0));
    expect(gapsMs).toHaveLength(5);
    expect(Math.max(...gapsMs)).toBeLessThan(longestMs + 3_000);
  });

  test('is forwarded while the cache cannot be reached', () => {
    const gateway = new Gateway();
    gateway.claim();
    gateway.isCacheDown = true;
    expect(gateway.claim().status).toBe(204);
    expect(gateway.forwarded).toBe(2);
  });

  test.each([
    ['of a request', { status: 200 }],
    ['to an unknown key', { status: 401 }],
    ['of a service that does not know when it is idle', { status: 204 }],
    ['of a service that fails', { status: 503, idleSeconds: 30 }],
  ])('does not follow a response %s', (_kind, service) => {
    const gateway = new Gateway();
    expect(gateway.claim(claimRequest, service).status).toBe(service.status);
    expect(gateway.cache.size).toBe(0);
    gateway.claim();
    expect(gateway.forwarded).toBe(2);
  });

  test('the cache holds no key of an agent', () => {
    const gateway = new Gateway();
    gateway.claim();
    expect(gateway.cache.size).toBe(1);
    expect(JSON.stringify([...gateway.cache])).not.toContain('key-of-berlin');
  });

  test('the named value turns the cache off', () => {
    const gateway = new Gateway(false);
    for (let claim = 1; claim <= 3; claim += 1) {
      expect(gateway.claim().headers.get('x-idle-seconds')).toBe('30');
      expect(gateway.forwarded).toBe(claim);
    }
    expect(gateway.cache.size).toBe(0);
  });
});

describe('after a change that makes a request claimable', () => {
  test.each([
    ['201', 201],
    ['200', 200],
    ['503, because the service may have committed it', 503],
    ['no response', undefined],
  ])('every claim is forwarded: %s', (_kind, status) => {
    const gateway = new Gateway();
    gateway.claim();
    gateway.change('request-folder', status);
    gateway.claim();
    expect(gateway.forwarded).toBe(3);
  });

  test('a rejected change leaves the entries as they are', () => {
    const gateway = new Gateway();
    gateway.claim();
    for (const status of [400, 401, 403, 404, 409, 429]) gateway.change('requeue-folder-request', status);
    gateway.claim();
    expect(gateway.forwarded).toBe(7);
  });

  test('the policies belong to the operations that can make a request claimable', () => {
    const ids = operations(
      connect(
        readSettings({
          STORAGE_TABLE_ENDPOINT: 'https://localhost',
          STORAGE_BLOB_ENDPOINT: 'https://localhost',
        }),
      ),
      '0',
    ).map(({ id }) => id);
    const template = readFileSync(join(import.meta.dirname, '../../../bicep/api.bicep'), 'utf8');
    const [, list = ''] = /var claimableOperationIds = \[([^\]]*)\]/.exec(template) ?? [];
    const claimable = [...list.matchAll(/'([\w-]+)'/g)].map(([, id]) => id);
    expect(claimable).toEqual([
      'request-folder',
      'batch-folder-requests',
      'requeue-folder-request',
      'release-folder-request',
      'free-folder-request',
      'correct-folder-request',
      'change-agent',
    ]);
    expect(ids).toEqual(expect.arrayContaining([...claimable, 'claim-folder-request']));
    expect(template).toContain("name: 'claim-folder-request'");
  });
});

describe('in every interleaving of calls, stores that become visible at any time, losses, and time', () => {
  // Two claims of one agent, and of two agents that share a key; up to 30,000 states each.
  const scenarios: readonly (readonly [string, Scenario])[] = [
    ['two claims and two new requests', { claimers: [2], creations: 2, ticks: 0, losses: 0 }],
    ['two claims and a new request, over 30 s', { claimers: [2], creations: 1, ticks: 2, losses: 0 }],
    ['two agents with one key', { claimers: [2, 1], creations: 1, ticks: 0, losses: 0 }],
    ['a lease that ends', { claimers: [2], creations: 0, ticks: 3, losses: 0, leaseMs: 15_000 }],
    ['a loss, over 30 s', { claimers: [2], creations: 1, ticks: 2, losses: 1 }],
  ];

  test.each(scenarios)(
    'no request waits longer than a store takes to be visible, and never longer than 30 s: %s',
    (_kind, scenario) => {
      const { answeredByGateway, violation } = explore(scenario);
      expect(violation).toBeUndefined();
      // The scenario tests nothing unless the gateway answers.
      expect(answeredByGateway).toBeGreaterThan(0);
    },
    60_000,
  );

  const faults: readonly (readonly [string, keyof PolicyTexts, string, string, Scenario])[] = [
    [
      'the generation is read after the service was asked',
      'claim',
      '<set-variable name="idleUntilMs"',
      '<cache-lookup-value key="claimable-generation" default-value="none" variable-name="generation" /><set-variable name="idleUntilMs"',
      { claimers: [2], creations: 1, ticks: 0, losses: 0 },
    ],
    [
      'the generation is removed instead of replaced',
      'claimable',
      '<cache-store-value key="claimable-generation"',
      '<cache-remove-value key="claimable-generation"',
      { claimers: [2], creations: 1, ticks: 0, losses: 0 },
    ],
    [
      'the generation is replaced before the service was asked',
      'claimable',
      '<inbound>',
      '<inbound><cache-store-value key="claimable-generation" value="@(Guid.NewGuid().ToString())" duration="600" />',
      { claimers: [2], creations: 1, ticks: 0, losses: 0 },
    ],
    [
      'the generation lives shorter than the entries',
      'claimable',
      'duration="600"',
      'duration="10"',
      { claimers: [2], creations: 1, ticks: 1, losses: 0 },
    ],
    [
      'the generation is not compared',
      'claim',
      'idle[0] == generation',
      'true',
      { claimers: [2], creations: 1, ticks: 0, losses: 0 },
    ],
    [
      'the generation is not replaced after a 5xx',
      'claimable',
      'context.Response.StatusCode < 300 || context.Response.StatusCode >= 500',
      'context.Response.StatusCode < 300',
      { claimers: [], creations: 1, ticks: 0, losses: 0 },
    ],
    [
      'the generation is not replaced if no response arrives',
      'claimable',
      'context.LastError.Source == "forward-request" || context.Response.StatusCode >= 500',
      'false',
      { claimers: [], creations: 1, ticks: 0, losses: 0 },
    ],
    [
      'entries count from the response',
      'claim',
      'var claimedAtMs = (long)context.Variables["claimedAtMs"];',
      'var claimedAtMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();',
      { claimers: [2], creations: 0, ticks: 3, losses: 0, leaseMs: 30_000 },
    ],
    [
      'entries ignore when the service is idle no more',
      'claim',
      'Math.Min(idleMs, 30000 - claimedAtMs % 30000)',
      '30000 - claimedAtMs % 30000',
      { claimers: [2], creations: 0, ticks: 1, losses: 0, leaseMs: 15_000 },
    ],
    [
      'entries are valid for longer',
      'claim',
      'return claimedAtMs + Math.Min(idleMs, 30000 - claimedAtMs % 30000);',
      'return claimedAtMs + 60000;',
      { claimers: [2], creations: 1, ticks: 3, losses: 1 },
    ],
  ];

  test.each(faults)(
    'the exploration finds the fault: %s',
    (_kind, name, right, wrong, scenario) => {
      const text = policyTexts[name].replaceAll(right, wrong);
      expect(text).not.toBe(policyTexts[name]);
      const isInbound = wrong.startsWith('<inbound>');
      // The store in the other sections goes, so that the one in inbound is the only one.
      const faulty = isInbound
        ? text.replace(
            /<outbound>[^]*<\/on-error>/,
            '<outbound><base /></outbound><on-error><base /></on-error>',
          )
        : text;
      expect(explore(scenario, { ...policyTexts, [name]: faulty }).violation).toBeDefined();
    },
    60_000,
  );
});
