import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { TypedData } from './messages.ts';

/**
 * The metadata that the host's HTTP extension passes to the worker with the request (HttpTriggerAttributeBindingProvider):
 * every query parameter except `code` by its name, overridden by the route parameters, and `Query` and `Headers` as JSON.
 *
 * The query parameters arrive among the route parameters of @azure/functions (`request.params`), because it uses every
 * string in the metadata. Handlers that validate `params` strictly must account for that.
 */
export function httpTriggerMetadata(
  request: IncomingMessage,
  query: URLSearchParams,
  routeParameters: Readonly<Record<string, string>>,
): Record<string, TypedData> {
  const queryValues = joinValues([...query]);
  const metadata = new Map<string, { name: string; data: TypedData }>();
  // Like the host's dictionary: names are case-insensitive, and the first spelling of a name is kept.
  const set = (name: string, data: TypedData) => {
    const known = metadata.get(name.toLowerCase());
    metadata.set(name.toLowerCase(), { name: known?.name ?? name, data });
  };
  // Of a repeated one the last value remains, while Query has all of them.
  for (const [name, value] of query) {
    if (name.toLowerCase() !== 'code') set(name, { string: value });
  }
  for (const [name, value] of Object.entries(routeParameters)) set(name, { string: value });
  if (!metadata.has('query')) set('Query', { json: JSON.stringify(queryValues) });
  if (!metadata.has('headers')) set('Headers', { json: JSON.stringify(headerValues(request)) });
  set('sys', { json: systemData('http') });
  return Object.fromEntries([...metadata.values()].map(({ name, data }) => [name, data]));
}

export function timerTriggerMetadata(functionName: string): Record<string, TypedData> {
  return { sys: { json: systemData(functionName) } };
}

/**
 * The argument of a timer function; this host keeps no record of runs before its start.
 *
 * @param last when the function ran before; undefined for the first run
 * @param intervalMs below a minute, the host keeps no status
 */
export function timerInfo(last: Date | undefined, intervalMs: number): TypedData {
  const now = new Date().toISOString();
  const status = { Last: last?.toISOString() ?? '0001-01-01T00:00:00', Next: now, LastUpdated: now };
  return {
    json: JSON.stringify({
      Schedule: { AdjustForDST: true },
      ...(intervalMs >= 60_000 && { ScheduleStatus: status }),
      IsPastDue: false,
    }),
  };
}

function systemData(functionName: string): string {
  return JSON.stringify({
    MethodName: functionName,
    UtcNow: new Date().toISOString(),
    RandGuid: randomUUID(),
  });
}

function headerValues(request: IncomingMessage): Record<string, string> {
  const pairs: [string, string][] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    pairs.push([request.rawHeaders[index]!, request.rawHeaders[index + 1]!]);
  }
  return joinValues(pairs);
}

/** Joins several values of one name with commas, under the first spelling of the name. */
function joinValues(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const values = new Map<string, { name: string; value: string }>();
  for (const [name, value] of pairs) {
    const known = values.get(name.toLowerCase());
    if (known) known.value += `,${value}`;
    else values.set(name.toLowerCase(), { name, value });
  }
  return Object.fromEntries([...values.values()].map(({ name, value }) => [name, value]));
}
