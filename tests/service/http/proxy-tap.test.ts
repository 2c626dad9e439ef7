import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpRequest } from '@azure/functions';
import { expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import { ProxyTap } from '../../../lib/http/proxy-tap.ts';

const lines: string[] = [];
const collect = (line: string) => void lines.push(line);
const log = eventLog({ info: collect, warn: collect, error: collect });
const text = async (bytes: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await Array.fromAsync(bytes)).toString();

const fromLibrary = () =>
  new HttpRequest({ method: 'POST', url: 'http://localhost/', body: { string: 'copied by the library' } });

test('body and response of an invocation are those of its socket until the response ends', async () => {
  const tap = new ProxyTap();
  const respond = async (response: ServerResponse): Promise<void> => {
    const body = await text(tap.bodyOf('one', fromLibrary(), log));
    response.end(`${body}, ${tap.responseOf('one') === response}`);
  };
  const server = createServer((_request, response) => void respond(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const send = () =>
      fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
        method: 'POST',
        headers: { 'x-ms-invocation-id': 'one' },
        body: 'from the socket',
      });
    const received = await send();
    expect(await received.text()).toBe('from the socket, true');
    await expect.poll(() => tap.responseOf('one')).toBeUndefined();
    // Longer than the host keeps an idle connection, so that only the host closes one.
    expect((await send()).headers.get('keep-alive')).toBe('timeout=75');
    expect(lines).toEqual([]);
  } finally {
    server.close();
  }
});

test('without a socket for an invocation, the body is the copy of the library, and the log reports it once', async () => {
  const tap = new ProxyTap();
  for (const id of ['two', 'three']) {
    expect(await text(tap.bodyOf(id, fromLibrary(), log))).toBe('copied by the library');
    expect(tap.responseOf(id)).toBeUndefined();
  }
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['proxy_socket_not_found']);
});
