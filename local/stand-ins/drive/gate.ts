import type { Emulator } from './state/emulator.ts';
import type { GraphResponse } from './base/exchange.ts';
import type { FaultSubject } from './base/faults.ts';
import { GraphError } from './base/graph-error.ts';
import { throttledError } from './base/throttle-budget.ts';

/** Applies the faults that precede all other processing of a request. Returns a response that replaces it, if any. */
export function gate(emulator: Emulator, subject: FaultSubject): GraphResponse | undefined {
  const { faults, contentOrigin, settings } = emulator;
  const isLocked =
    settings.siteLock === 'noAccess' || (settings.siteLock === 'readOnly' && subject.method !== 'GET');
  if (isLocked && !/\/me\b/.test(subject.url)) throw siteLocked();
  const throttle = faults.take('throttled', subject);
  if (throttle) throw throttledError(throttle.status, throttle.retryAfter);
  const error = faults.take('error', subject);
  if (error) throw new GraphError(error.status, error.code, error.message, { inner: error.inner });
  const claims = faults.take('insufficient-claims', subject);
  if (claims) throw insufficientClaims(claims.claims);
  if (faults.take('html-unavailable', subject)) {
    return { status: 503, html: '<!DOCTYPE html><title>503</title><h1>Service Unavailable</h1>' };
  }
  const redirected = faults.take('throttle-page', subject);
  if (redirected) return { status: 302, headers: { Location: `${contentOrigin}${redirected.page}` } };
  return undefined;
}

/** A15: without an inner code, as for a file that is open in an editor. */
const siteLocked = (): GraphError =>
  new GraphError(423, 'notAllowed', 'The resource you are attempting to access is locked');

/** A1: conditional access on the resource. */
function insufficientClaims(claims: string): GraphError {
  const encoded = Buffer.from(claims).toString('base64');
  return new GraphError(
    401,
    'InvalidAuthenticationToken',
    'Continuous access evaluation resulted in challenge.',
    {
      headers: {
        'WWW-Authenticate':
          'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", ' +
          `error="insufficient_claims", claims="${encoded}"`,
      },
    },
  );
}
