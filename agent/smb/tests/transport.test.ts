import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { SmbError } from '../base/smb-error.ts';
import { openSocket, Transport } from '../connection/transport.ts';
import { requires } from './support/requires.ts';
import { startSlowListener } from './support/slow-listener.ts';

const traffic = { bytesSent: 0, bytesReceived: 0, framesSent: 0, framesReceived: 0 };
const ends: (() => unknown)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

async function listening() {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

async function connected(): Promise<{ transport: Transport; sent: Buffer[]; peer: Socket }> {
  const { server, port } = await listening();
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = await openSocket('127.0.0.1', port, 5_000, undefined);
  const [peer] = await accepted;
  ends.push(
    () => socket.destroy(),
    () => peer.destroy(),
    () => server.close(),
  );
  const transport = new Transport(socket, 1_000, traffic);
  const sent: Buffer[] = [];
  transport.onSent = (part) => sent.push(part);
  return { transport, sent, peer };
}

test('the parts of a large frame are handed back when they have been written, those of small ones never', async () => {
  const { transport, sent, peer } = await connected();
  const parts = [Buffer.alloc(52), Buffer.alloc(20_000_000)];
  transport.send([Buffer.alloc(1_000)]);
  transport.send(parts);
  // More than the system buffers: the peer reads nothing yet.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(sent.includes(parts[1]!)).toBe(false);
  peer.resume();
  await expect.poll(() => sent.length).toBe(2);
  // Not by `toBe`, which prints what it compares.
  expect(sent.every((part, index) => part === parts[index])).toBe(true);
});

test('a part is not handed back when the connection ends before it was written', async () => {
  const { transport, sent, peer } = await connected();
  const part = Buffer.alloc(20_000_000);
  transport.send([part]);
  const ended = new Promise((resolve) => (transport.onEnd = resolve));
  peer.destroy();
  await ended;
  await new Promise(setImmediate);
  expect(sent).toHaveLength(0);
});

requires('linux').test('a name of several addresses is connected to over a slow network, too', async () => {
  const { server, port } = await listening();
  const slow = await startSlowListener(port);
  ends.push(
    () => server.close(),
    () => slow.stop(),
  );
  await slow.slowDown();
  const startedMs = performance.now();
  const socket = await openSocket('nas.firma.test', slow.port, 10_000, undefined, slow.lookup);
  ends.push(() => socket.destroy());
  expect(socket.remoteAddress).toBe('127.0.0.2');
  // Else the listener was not slow.
  expect(performance.now() - startedMs).toBeGreaterThan(500);
});

test('a connection ends once, with the first reason, and what has arrived behind it is not read', async () => {
  const { transport, peer } = await connected();
  const reasons: string[] = [];
  transport.onEnd = ({ message }) => reasons.push(message);
  const frames: number[] = [];
  transport.onFrame = (frame) => {
    frames.push(frame.length);
    transport.end(new SmbError('PROTOCOL', 'the first reason', { operation: 'receive' }));
  };
  const closed = once(peer.resume(), 'close');
  // Two frames in one segment.
  const frame = Buffer.alloc(4 + 66);
  frame.writeUInt32BE(66);
  peer.write(Buffer.concat([frame, frame]));
  await closed;
  transport.end(new SmbError('CLOSED', 'another', { operation: 'close' }));
  expect(reasons).toEqual(['the first reason']);
  expect(frames).toEqual([66]);
});
