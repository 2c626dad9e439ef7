import { describe, expect, test } from 'vitest';
import { checkShape } from '../../../lib/http/request-shape.ts';
import type { Method } from '../../../lib/http/operation.ts';
import { ServiceError } from '../../../lib/base/service-error.ts';

const origin = 'https://app.example';

/** The places of the faults, or undefined for a request that passes. */
function faultsOf(
  path: string,
  method: Method = 'POST',
  headers: Record<string, string> = {},
): string[] | undefined {
  try {
    checkShape({ url: `${origin}${path}`, headers: new Headers(headers) }, method);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    const { code, facts } = error as ServiceError;
    expect(code).toBe('invalid_request');
    return (facts.errors ?? []).map(({ path: at }) => at);
  }
}

describe('a path', () => {
  test.each([
    '/api/v1/me',
    '/api/v1/documents/a.b..c',
    '/api/v1/agents/b%C3%BCro',
    '/api/v1/x?y=%2e%2e/../%5c',
    '/',
  ])('%s passes', (path) => {
    expect(faultsOf(path)).toBeUndefined();
  });

  test.each([
    '/api/console/../v1/me',
    '/api/v1/.',
    '/api/v1/./me',
    '/api/console/%2e%2E/v1/me',
    '/api/v1/a%2Fb',
    '/api/v1/a%252Fb',
    '/api/v1/a%5cb',
    '/api/v1/a\\b',
  ])('%s is rejected', (path) => {
    expect(faultsOf(path)).toEqual(['params']);
  });
});

describe('a body', () => {
  test.each(['GET', 'DELETE'] as const)('of %s is rejected before it is read', (method) => {
    expect(faultsOf('/', method)).toBeUndefined();
    expect(faultsOf('/', method, { 'content-length': '0' })).toBeUndefined();
    expect(faultsOf('/', method, { 'content-length': '1' })).toEqual(['body']);
    expect(faultsOf('/', method, { 'transfer-encoding': 'chunked' })).toEqual(['body']);
  });

  test.each(['PUT', 'POST', 'PATCH'] as const)('of %s passes', (method) => {
    expect(faultsOf('/', method, { 'content-length': '1' })).toBeUndefined();
  });
});

test('all faults are reported', () => {
  expect(faultsOf('/..', 'GET', { 'content-length': '5' })).toEqual(['params', 'body']);
});
