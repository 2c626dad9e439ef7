import type { StackDescription } from './stack-file.ts';

type Described = Pick<StackDescription, 'baseUrl' | 'tokens'>;
type Person = keyof StackDescription['tokens'];
type Agent = StackDescription['agents'][number];

/**
 * Calls the API of a running stack as one of the sample people or agents.
 *
 * @param path below `/api/v1/`
 * @returns the JSON of the response, undefined if it has no body
 * @throws Error with the response if it is no success
 */
export async function call<T>(
  { baseUrl, tokens }: Described,
  who: Person | Agent,
  method: string,
  path: string,
  body?: object | FormData,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  const isJson = body !== undefined && !(body instanceof FormData);
  const response = await fetch(`${baseUrl}/api/v1/${path}`, {
    method,
    headers: {
      ...(typeof who === 'string' ? { authorization: `Bearer ${tokens[who]}` } : { 'x-api-key': who.key }),
      ...(isJson && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
