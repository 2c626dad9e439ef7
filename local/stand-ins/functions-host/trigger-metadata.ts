import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { TypedData } from './messages.ts';

/**
 * What the host's HTTP extension hands the worker beside the request (HttpTriggerAttributeBindingProvider):
 * every query parameter but `code` by its name, the route parameters over them, and `Query` and `Headers` as JSON.
 *
 * The query parameters arrive among the route parameters of @azure/functions (`request.params`): it takes every
 * string found here. Handlers that read `params` strictly have to know.
 */
export function httpTriggerMetadata(
  request: IncomingMessage,
  query: URLSearchParams,
  routeParameters: Readonly<Record<string, string>>,
): Record<string, TypedData> {
  const queryValues = joined([...query]);
  const metadata = new Map<string, { name: string; data: TypedData }>();
  // The host's dictionary: names are compared without regard to case, and the first spelling of a name stays.
  const set = (name: string, data: TypedData) => {
    const known = metadata.get(name.toLowerCase());
    metadata.set(name.toLowerCase(), { name: known?.name ?? name, data });
  };
  for (const [name, value] of Object.entries(queryValues)) {
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

/** What a timer function is called with; nothing is known of runs before this host. */
export function timerInfo(): TypedData {
  const now = new Date().toISOString();
  return {
    json: JSON.stringify({
      Schedule: { AdjustForDST: true },
      ScheduleStatus: { Last: now, Next: now, LastUpdated: now },
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
  return joined(pairs);
}

/** Several values of one name become one, joined by a comma, under the spelling that came first. */
function joined(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const values = new Map<string, { name: string; value: string }>();
  for (const [name, value] of pairs) {
    const known = values.get(name.toLowerCase());
    if (known) known.value += `,${value}`;
    else values.set(name.toLowerCase(), { name, value });
  }
  return Object.fromEntries([...values.values()].map(({ name, value }) => [name, value]));
}
