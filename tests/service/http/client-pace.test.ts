import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import { atClientPace } from '../../../lib/http/client-pace.ts';

const chunkBytes = 256 * 1024;

/** A request whose client decides when it reads, and the response that Node's server has for it. */
async function exchange(): Promise<{ client: Socket; response: ServerResponse }> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void client.destroy());
  client.pause();
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { client, response };
}

function sink() {
  const events: string[] = [];
  const push = (line: string): void => void events.push((JSON.parse(line) as { event: string }).event);
  return { events, log: eventLog({ info: push, warn: push, error: push }) };
}

/** Sends as the library does: it reads the body that it was given to its end. */
const sendAll = async (body: ReadableStream<Uint8Array>): Promise<void> => {
  for await (const chunk of body) expect(chunk).toBeUndefined();
};

class Chunks {
  made = 0;
  readonly #count: number;
  constructor(count: number) {
    this.#count = count;
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (this.made < this.#count) {
      this.made += 1;
      yield new Uint8Array(chunkBytes);
    }
  }
}

test('no more is made than the client receives; it arrives whole', async () => {
  const { client, response } = await exchange();
  const { events, log } = sink();
  const chunks = new Chunks(400);
  const sent = sendAll(atClientPace(response, log)(chunks));
  // What the sockets hold: the kernel's buffers of loopback take some MiB.
  let before = -1;
  await expect
    .poll(() => {
      const isStill = before === chunks.made;
      before = chunks.made;
      return isStill;
    })
    .toBe(true);
  expect(chunks.made).toBeLessThan(200);
  let received = 0;
  client.on('data', (data: Buffer) => void (received += data.length));
  client.resume();
  await sent;
  response.end();
  await once(response, 'finish');
  await expect.poll(() => received).toBeGreaterThan(400 * chunkBytes);
  expect([chunks.made, events]).toEqual([400, []]);
});

test('a client that disconnects ends the reading, and is no failure', async () => {
  const { client, response } = await exchange();
  const { events, log } = sink();
  const chunks = new Chunks(1_000_000);
  const sent = sendAll(atClientPace(response, log)(chunks));
  await expect.poll(() => chunks.made).toBeGreaterThan(1);
  client.destroy();
  await sent;
  await expect.poll(() => events).toEqual(['request_aborted']);
  expect(chunks.made).toBeLessThan(200);
});

test('a source that fails ends the response and is logged once, not as a client that went', async () => {
  const { client, response } = await exchange();
  const { events, log } = sink();
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(4);
    throw new Error('the library closed the connection');
  }
  client.resume();
  const closed = once(client, 'close');
  await expect(sendAll(atClientPace(response, log)(failing()))).rejects.toThrow('the library closed');
  await closed;
  expect(events).toEqual(['response_failed']);
});

test('a response that has ended says nothing', async () => {
  const { client, response } = await exchange();
  const { events, log } = sink();
  client.resume();
  await sendAll(atClientPace(response, log)(new Chunks(1)));
  const closed = once(response, 'close');
  response.end();
  await closed;
  expect(events).toEqual([]);
});
