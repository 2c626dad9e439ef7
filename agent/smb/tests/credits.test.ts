import { expect, test } from 'vitest';
import { chargeFor, Credits, type Waiting } from '../connection/credits.ts';
import { RequestsInFlight } from '../connection/in-flight.ts';
import { Command, HeaderFlag } from '../wire/header.ts';
import { Status } from '../base/status.ts';

/** Sends what the credits allow and records the MessageIds. */
class Sender {
  readonly credits = new Credits();
  readonly sent: { id: number; charge: number }[] = [];
  starved = 0;

  request(charge: number): Waiting {
    const send = () => {
      this.sent.push({ id: this.credits.spend(charge), charge });
    };
    const waiting = { charge, send, starve: () => (this.starved += 1) };
    this.credits.enqueue(waiting);
    return waiting;
  }

  /** Completes the oldest request with a grant of this many credits. */
  respond(granted: number): void {
    const { charge } = this.sent.shift()!;
    this.credits.completed(charge);
    this.credits.granted(granted);
    this.credits.pump();
  }
}

test.each([
  [0, 1],
  [1, 1],
  [65_536, 1],
  [65_537, 2],
  [1_048_576, 16],
])('%i bytes cost %i credits', (bytes, charge) => {
  expect(chargeFor(bytes)).toBe(charge);
});

test('a connection starts with one credit, and the next request waits for the response', () => {
  const sender = new Sender();
  sender.request(1);
  sender.request(1);
  expect(sender.sent).toEqual([{ id: 0, charge: 1 }]);
  sender.respond(1);
  expect(sender.sent).toEqual([{ id: 1, charge: 1 }]);
});

test('MessageIds advance by the charge, without a gap', () => {
  const sender = new Sender();
  sender.request(1);
  sender.respond(100);
  for (const charge of [16, 1, 5]) sender.request(charge);
  expect(sender.sent).toEqual([
    { id: 1, charge: 16 },
    { id: 17, charge: 1 },
    { id: 18, charge: 5 },
  ]);
});

test('small requests do not overtake a large one', () => {
  const sender = new Sender();
  sender.request(1);
  sender.respond(10);
  sender.request(8);
  sender.request(4);
  sender.request(1);
  expect(sender.sent.map(({ charge }) => charge)).toEqual([8]);
  sender.respond(8);
  expect(sender.sent.map(({ charge }) => charge)).toEqual([4, 1]);
});

test('a request that costs more than all credits is rejected, not queued', () => {
  const sender = new Sender();
  sender.request(2);
  expect(sender.starved).toBe(1);
  sender.request(1);
  sender.request(3);
  sender.respond(2);
  expect(sender.starved).toBe(2);
});

test('one credit remains reserved for the ECHO once there are several', () => {
  const sender = new Sender();
  sender.request(1);
  sender.respond(6);
  for (let index = 0; index < 8; index += 1) sender.request(1);
  expect(sender.sent).toHaveLength(5);
  expect(sender.credits.canSpend(1)).toBe(true);
  expect(sender.credits.largestCharge).toBe(5);
});

test('a pause in grants is tolerated while responses are outstanding', () => {
  const sender = new Sender();
  sender.request(1);
  sender.respond(3);
  for (let index = 0; index < 4; index += 1) sender.request(1);
  sender.respond(0);
  sender.respond(0);
  expect([sender.sent.length, sender.starved]).toEqual([1, 0]);
  sender.respond(1);
  expect([sender.sent.length, sender.starved]).toEqual([1, 0]);
});

test('a request withdrawn before its turn is never sent', () => {
  const sender = new Sender();
  sender.request(1);
  const send = sender.request(1);
  sender.request(1);
  for (let time = 0; time < 2; time += 1) sender.credits.withdraw(send);
  sender.respond(10);
  expect(sender.sent).toEqual([{ id: 1, charge: 1 }]);
});

test('a hostile grant does not raise the number of requests in flight without limit', () => {
  const sender = new Sender();
  for (let index = 0; index < 10; index += 1) sender.credits.granted(65_535);
  expect(sender.credits.owned).toBe(65_535);
});

test('what an interim response grants is not counted twice', () => {
  const credits = new Credits();
  credits.granted(9);
  const inFlight = new RequestsInFlight(credits, 60_000);
  const messageId = credits.spend(4);
  const pending = {
    command: Command.read,
    messageId,
    charge: 4,
    interims: 0,
    asyncId: undefined,
    shared: false,
    take: undefined,
    sentAt: 0,
    deadline: 0,
    latest: 0,
    frame: [],
    index: 0,
    exchange: { received: () => undefined },
  };
  inFlight.add(pending);
  const header = { command: Command.read, messageId, treeId: 1, sessionId: Buffer.alloc(8) };
  const asyncHeader = { ...header, flags: HeaderFlag.async, asyncId: Buffer.alloc(8) };
  expect(inFlight.match({ ...asyncHeader, status: Status.pending, credits: 4 })).toBeUndefined();
  expect(credits.owned).toBe(10);
  expect(credits.canSpend(10)).toBe(true);
  const last = { ...asyncHeader, status: Status.success, credits: 0 };
  inFlight.settle(inFlight.match(last)!, last, Buffer.alloc(0), false);
  expect(credits.owned).toBe(10);
});
