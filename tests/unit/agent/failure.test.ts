import { describe, expect, test } from 'vitest';
import { failureOf, serviceVerdict, shareVerdict } from '../../../agent/base/failure.ts';
import { leaseEndMs } from '../../../agent/claims/service-client.ts';
import { ServiceFailure } from '../../../agent/base/service-failure.ts';
import { SmbError, type SmbErrorCode, type SmbPhase } from '../../../agent/smb/index.ts';
import { CopyError } from '../../../agent/base/copy-error.ts';

const smb = (code: SmbErrorCode, retryable = false, phase: SmbPhase = 'call') =>
  new SmbError(code, `list x: ${code}`, { operation: 'list', phase, path: 'x', retryable });

describe('a response of the service means', () => {
  const rejected = (status: number, code?: string) => new ServiceFailure('rejected', 'x', { status, code });

  test.each([
    [new ServiceFailure('unreachable', 'ECONNREFUSED'), 'again'],
    [new ServiceFailure('undecodable', 'page', { status: 401 }), 'again'],
    [rejected(408), 'again'],
    [rejected(429), 'again'],
    [rejected(500, 'internal_error'), 'again'],
    [rejected(503, 'not_configured'), 'again'],
    [rejected(404), 'again'],
    [rejected(401, 'invalid_agent_key'), 'key-rejected'],
    [rejected(403, 'forbidden'), 'key-rejected'],
    [rejected(409, 'claim_lost'), 'claim-lost'],
    [rejected(409, 'not_processing'), 'claim-lost'],
    [rejected(404, 'folder_request_not_found'), 'claim-lost'],
    [rejected(400, 'invalid_request'), 'dropped'],
    [rejected(404, 'not_found'), 'dropped'],
    [rejected(409, 'not_pending'), 'dropped'],
    [rejected(401), 'again'],
    [rejected(403), 'again'],
    [rejected(409), 'again'],
    [rejected(422), 'again'],
  ])('%o: %s', (failure, verdict) => expect(serviceVerdict(failure)).toBe(verdict));
});

describe('a failure of the file server means', () => {
  test.each([
    [smb('CONNECT_FAILED', true, 'connect'), 'not-ready'],
    [smb('TIMEOUT', true, 'connect'), 'not-ready'],
    [smb('CONNECTION_LOST', true, 'negotiate'), 'not-ready'],
    [smb('DIALECT_REJECTED', false, 'negotiate'), 'not-ready'],
    [smb('PROTOCOL', false, 'logon'), 'not-ready'],
    [smb('SERVER_BUSY', true, 'logon'), 'not-ready'],
    [smb('EACCES', false, 'logon'), 'not-ready'],
    [smb('SERVER_BUSY', true, 'share'), 'not-ready'],
    [smb('SHARE_NOT_FOUND', false, 'share'), 'not-ready'],
    [smb('CONNECTION_LOST', true), 'outage'],
    [smb('TIMEOUT', true), 'outage'],
    [smb('INTEGRITY'), 'again'],
    [smb('LOGON_REJECTED', false, 'logon'), 'logon-rejected'],
    [smb('GUEST_SESSION', false, 'logon'), 'logon-rejected'],
    [smb('KERBEROS_UNAVAILABLE', false, 'logon'), 'logon-rejected'],
    [smb('KERBEROS_UNAVAILABLE', true, 'logon'), 'not-ready'],
    [smb('LOGON_REJECTED', false, 'share'), 'not-ready'],
    [smb('LOGON_REJECTED'), 'outage'],
    [smb('ENCRYPTION_UNAVAILABLE', false, 'share'), 'not-ready'],
    [smb('EACCES'), 'report'],
    [smb('SERVER_ERROR', true), 'again'],
    [smb('SERVER_ERROR'), 'report'],
    [new CopyError('destination', '\\\\s\\x', smb('ENOSPC')), 'report'],
    [new CopyError('template', '\\\\s\\x', smb('CONNECTION_LOST')), 'outage'],
    [new TypeError('a fault of the agent'), 'report'],
  ])('%o: %s', (error, verdict) => expect(shareVerdict(error)).toBe(verdict));
});

test.each([
  ['ENOSPC', true],
  ['EROFS', true],
  ['EBUSY', true],
  ['EACCES', undefined],
  ['ENOENT', undefined],
  ['SERVER_ERROR', undefined],
] as const)('whether %s is a failure that may pass: %s', (code, mayPass) => {
  const onShare = new CopyError('destination', '\\\\s\\share\\x', smb(code));
  expect(failureOf(onShare, 'FIRMA\\svc').mayPass).toBe(mayPass);
  expect(failureOf(smb(code), 'FIRMA\\svc').mayPass).toBe(mayPass);
});

describe('the text of a FAILED report', () => {
  test('names the place, the problem and the remedy, for each side', () => {
    const text = (side: 'template' | 'destination', code: SmbErrorCode) =>
      failureOf(new CopyError(side, '\\\\s\\share\\x', smb(code)), 'FIRMA\\svc').errorMessage;
    expect(text('template', 'EACCES')).toBe(
      'Template \\\\s\\share\\x: list x: EACCES. For operators: The account FIRMA\\svc has no read permission. Grant it Read on the share and on the template directory.',
    );
    expect(text('destination', 'ENOSPC')).toContain('or FIRMA\\svc has used up its quota. Free some space.');
    expect(text('destination', 'NOT_SUPPORTED')).toContain('FOLDER_AGENT_DEBUG=true, and send its log');
    expect(text('destination', 'GUEST_SESSION')).toContain('does not know FIRMA\\svc. Create it there');
  });

  test.each<['template' | 'destination', SmbErrorCode, string]>([
    ['destination', 'EACCES', 'access_denied'],
    ['destination', 'ENOSPC', 'disk_full'],
    ['destination', 'ENOTDIR', 'name_clash'],
    ['destination', 'SERVER_ERROR', 'server_error'],
    ['destination', 'PROTOCOL', 'server_error'],
    ['destination', 'SHARE_NOT_FOUND', 'share_not_found'],
    ['template', 'EACCES', 'template_unreadable'],
    ['template', 'ENOENT', 'template_unreadable'],
  ])('of the %s and %s has the code %s', (side, code, errorCode) => {
    const failure = failureOf(new CopyError(side, '\\\\s\\share\\x', smb(code)), 'svc');
    expect(failure).toMatchObject({ errorCode, errorParams: { path: '\\\\s\\share\\x' } });
    expect(failure.errorMessage).toMatch(/For operators: /);
  });

  test('of a bug in the agent does not show its message', () => {
    const { errorMessage, errorCode } = failureOf(new TypeError('x is not a function at /opt/…'), 'svc');
    expect(errorMessage).not.toContain('not a function');
    expect(errorCode).toBe('agent_error');
  });
});

describe("the end of a lease on the agent's clock", () => {
  const sentAtMs = Date.parse('2026-11-20T10:00:00.000Z');

  test("does not depend on the service's clock, and allows for the second that the Date header truncates", () => {
    const leaseExpiresAt = '2026-11-20T13:05:00.500Z';
    const end = leaseEndMs(sentAtMs, leaseExpiresAt, 'Fri, 20 Nov 2026 13:00:00 GMT');
    expect(end - sentAtMs).toBe(299_500);
  });

  test('is used unchanged without a Date header', () => {
    const leaseExpiresAt = '2026-11-20T10:05:00.000Z';
    expect(leaseEndMs(sentAtMs, leaseExpiresAt, undefined) - sentAtMs).toBe(300_000);
  });
});
