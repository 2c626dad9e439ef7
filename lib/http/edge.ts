import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { HttpHandler, HttpRequest, HttpResponseInit } from '@azure/functions';
import * as z from 'zod';
import type { AgentKeys } from '../callers/agent-keys.ts';
import { mayCall, type Access, type Caller } from '../callers/caller.ts';
import type { RejectionReason } from '../callers/rejection-reasons.ts';
import type { UserTokenVerifier } from '../callers/user-token.ts';
import { jsonBody } from './body.ts';
import { atClientPace } from './client-pace.ts';
import { eventLog, type EventFields, type EventLog } from '../base/event-log.ts';
import { mayHaveBody, type Operation } from './operation.ts';
import type { RecentFailures } from '../base/recent-failures.ts';
import { faultAt, ServiceError, type Fault } from '../base/service-error.ts';
import { RequestAborted } from './incoming-body.ts';
import { maxErrors, problemOf } from './problem.ts';
import { checkShape } from './request-shape.ts';
import { faultsOf, rejectionOf } from './request-faults.ts';
import { bodyOf, type ProxyTap } from './proxy-tap.ts';
import { SealedCursors } from './sealed-cursor.ts';
import { unloggedRequests } from './unlogged-requests.ts';
import type { SealedText } from '../storage/sealed-text.ts';
import { isStorageOutage, storageUnavailable } from '../storage/storage-failure.ts';

/** Only the gateway sets it (bicep/policies/guard.xml). */
const callerAddressHeader = 'x-caller-address';

/** How callers are identified. A part that is not configured throws `not_configured` when it is called. */
export interface Callers {
  userTokens(): Pick<UserTokenVerifier, 'verify'>;
  agentKeys(): AgentKeys;
  /** Encrypts the cursors of lists. */
  cursors(): SealedText;
}

/**
 * The one place between the host and an operation: request id, caller, strict parsing, the log line of the request,
 * and the only catch that turns errors into responses.
 */
export function handlerFor(
  operation: Operation,
  callers: Callers,
  {
    tap,
    failures,
    // Monotonic, for durations; the wall clock may step.
    now = () => performance.now(),
  }: { tap?: Pick<ProxyTap, 'bodyOf' | 'responseOf'>; failures?: RecentFailures; now?: () => number } = {},
): HttpHandler {
  const { unloggedStatus } = operation;
  const addUnlogged = unloggedStatus === undefined ? undefined : unloggedRequests(unloggedStatus);
  return async (request, context) => {
    const startedAt = now();
    const requestId = requestIdOf(request);
    const log = eventLog(context, { requestId, operation: operation.id });
    const { invocationId } = context;
    const bytes = tap?.bodyOf(invocationId, request, log) ?? bodyOf(request);
    const transfer = atClientPace(
      tap?.responseOf(invocationId),
      // The context accepts no more lines after the handler has returned.
      eventLog(console, { invocationId, requestId, operation: operation.id }),
    );
    let caller: Caller;
    let response: HttpResponseInit;
    let code: string | undefined;
    let rejection: EventFields = {};
    try {
      checkShape(request, operation.method);
      caller = await identify(operation.access, request, callers);
      const input = operation.isAnyRequest ? nothing : await parseInput(operation, request, bytes);
      const list = { ...input, caller, operation: operation.id };
      const cursors = isList(operation) ? new SealedCursors(callers.cursors(), list) : undefined;
      const query = cursors ? cursors.opened() : input.query;
      const handled = await operation.handle({ ...input, query, caller, requestId, log, request, bytes });
      response = withCommonHeaders(cursors ? cursors.sealed(handled) : handled, requestId);
    } catch (error) {
      const problem = problemFrom(error, log);
      code = problem.code;
      rejection = rejectionFields(problem, request);
      failures?.record(problem);
      response = withCommonHeaders(problemOf(problem, requestId), requestId);
    }
    await bytes.discardRest();
    const endedAt = now();
    const status = response.status ?? 200;
    const durationMs = endedAt - startedAt;
    if (addUnlogged && status === unloggedStatus) addUnlogged(log, durationMs, endedAt);
    else {
      log.info('request', {
        method: operation.method,
        route: operation.route,
        caller: logNameOf(caller),
        callerKind: caller?.kind ?? 'anonymous',
        status,
        code,
        ...rejection,
        durationMs: Math.round(durationMs * 10) / 10,
      });
    }
    const { body } = response;
    return isStreamed(body) ? { ...response, body: transfer(body) } : response;
  };
}

const isList = ({ query }: Operation): boolean => query instanceof z.ZodObject && 'cursor' in query.shape;

const isStreamed = (body: HttpResponseInit['body']): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

function requestIdOf(request: HttpRequest): string {
  const given = request.headers.get('x-request-id') ?? '';
  return /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}

async function identify(access: Access, request: HttpRequest, callers: Callers): Promise<Caller> {
  if (access.kind === 'anonymous') return undefined;
  if (access.kind === 'agent') {
    const key = request.headers.get('x-api-key') ?? '';
    const agent = callers.agentKeys().identify(key);
    if (!agent) {
      const rejectedFor: RejectionReason = key === '' ? 'no_key' : 'unknown_key';
      throw new ServiceError('invalid_agent_key', {
        rejectedFor,
        detail: 'Send a key of FOLDER_AGENT_API_KEYS in the header x-api-key.',
      });
    }
    return agent;
  }
  const user = await callers.userTokens().verify(request.headers.get('authorization'), access.orApplication);
  if (user.kind === 'application') return user;
  if (!mayCall(access, user.permissions)) {
    const needed = access.anyOf.length === 1 ? 'the app role' : 'one of the app roles';
    throw new ServiceError('forbidden', {
      detail: `This operation requires ${needed} ${access.anyOf.join(', ')}.`,
    });
  }
  return user;
}

/** Clients that send JSON with each call send an empty object where there is nothing to say. */
const noFields = z.strictObject({});

type Parsed = { params: unknown; query: unknown; headers: unknown; body: unknown };
const nothing: Parsed = { params: undefined, query: undefined, headers: undefined, body: undefined };

async function parseInput(
  operation: Operation,
  request: HttpRequest,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Parsed> {
  const faults: Fault[] = [];
  const parse = (at: keyof Parsed, schema: z.ZodType | undefined, value: unknown): unknown => {
    if (!schema) return undefined;
    const result = schema.safeParse(value, { reportInput: true });
    if (result.success) return result.data;
    for (const fault of result.error.issues.flatMap((issue) => faultsOf(at, issue))) faults.push(fault);
    return undefined;
  };
  const result: Parsed = {
    params: parse('params', operation.params, routeParamsOf(operation.route, request.params)),
    query: parse('query', operation.query ?? z.strictObject({}), queryOf(request, faults)),
    headers: parse('headers', operation.headers, Object.fromEntries(request.headers.entries())),
    body: undefined,
  };
  const { body: ownBody, streamedBody, method } = operation;
  const bodySchema = ownBody ?? (mayHaveBody(method) && !streamedBody ? noFields : undefined);
  if (bodySchema) {
    const { isBodyOptional: isOptional = !ownBody, maxBodyBytes: maxBytes } = operation;
    const body = await jsonBody(request, bytes, { isOptional, maxBytes });
    if (body && 'fault' in body) faults.push({ path: 'body', ...body.fault });
    else if (body) result.body = parse('body', bodySchema, body.value);
  }
  if (faults.length === 0) return result;
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
  const where = faults.length > maxErrors ? `errors has the first ${maxErrors}` : 'see errors';
  throw rejectionOf(faults, `The request has ${count}; ${where}.`);
}

/**
 * The parameters that the route names. The host adds query parameters to them, and when a query parameter differs from a
 * route parameter only in case, it keeps the spelling of the query (HttpTriggerAttributeBindingProvider).
 */
function routeParamsOf(route: string, params: Readonly<Record<string, string>>): Record<string, string> {
  const given = new Map(Object.entries(params).map(([name, value]) => [name.toLowerCase(), value]));
  const named: Record<string, string> = {};
  for (const [, name] of route.matchAll(/\{\*{0,2}(\w+)/g)) {
    const value = given.get(name!.toLowerCase());
    if (value !== undefined) named[name!] = value;
  }
  return named;
}

function queryOf(request: HttpRequest, faults: Fault[]): Record<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of request.query.entries()) {
    // The host's own key parameter, not ours (docs/http-contract.md, "Everywhere").
    if (name === 'code') continue;
    if (query.has(name)) faults.push(faultAt(`query.${name}`, 'repeated'));
    query.set(name, value);
  }
  return Object.fromEntries(query);
}

function problemFrom(error: unknown, log: EventLog): ServiceError {
  const known = isStorageOutage(error) ? storageUnavailable(error) : error;
  if (known instanceof ServiceError) {
    // The cause of a 5xx is what an engineer needs and what a caller must not see.
    // A part that is switched off is a state, not a failure: the line of the request has its code.
    if (known.status >= 500 && known.code !== 'not_configured')
      log.error('request_failed', { code: known.code }, known);
    return known;
  }
  // The client has disconnected; nothing has failed.
  if (known instanceof RequestAborted) return new ServiceError('invalid_request', { cause: known });
  log.error('request_crashed', {}, error);
  return new ServiceError('internal_error', {
    detail: 'An unexpected error occurred; the log has the details under the request id.',
  });
}

/** What an operator needs to find out whose call was a 401. */
function rejectionFields({ facts: { rejectedFor } }: ServiceError, { headers }: HttpRequest): EventFields {
  if (rejectedFor === undefined) return {};
  // From the gateway, unless it is configured not to (LOG_CALLER_ADDRESSES).
  const address = headers.get(callerAddressHeader) ?? '';
  return { reason: rejectedFor, ...(isIP(address) !== 0 && { callerAddress: address }) };
}

function logNameOf(caller: Caller): string | null {
  if (caller === undefined) return null;
  if (caller.kind === 'user') return caller.oid;
  return caller.kind === 'agent' ? caller.logName : caller.clientId;
}

/** @throws TypeError for a header that HTTP cannot carry */
function withCommonHeaders(response: HttpResponseInit, requestId: string): HttpResponseInit {
  const headers = new Headers(response.headers);
  headers.set('x-request-id', requestId);
  // Cacheable files set their own header; nothing else may be cached.
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  // A year (RFC 6797). Browsers apply it over HTTPS only, so local work over HTTP is not affected.
  headers.set('strict-transport-security', 'max-age=31536000');
  // Also of JSON, in which texts of callers are.
  headers.set('x-content-type-options', 'nosniff');
  return { ...response, headers };
}
