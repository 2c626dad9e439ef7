import { expect, test } from 'vitest';
import { type Ticket, TicketSlot } from '../../kerberos/ticket.ts';

const minutes = 60_000;
const ticketUntil = (endTime: number): Ticket => ({
  clientRealm: 'FIRMA.LOCAL',
  client: { type: 1, parts: ['agent'] },
  realm: 'FIRMA.LOCAL',
  service: { type: 2, parts: ['krbtgt', 'FIRMA.LOCAL'] },
  ticket: Buffer.alloc(8),
  key: { encryptionType: 18, value: Buffer.alloc(32) },
  startTime: 0,
  endTime,
  renewTill: undefined,
});

test('concurrent callers share one fetch; after a failure, and when the ticket is old, the next one fetches again', async () => {
  const slot = new TicketSlot();
  let fetches = 0;
  const fetched = (ticket: Ticket) => () => {
    fetches += 1;
    return Promise.resolve(ticket);
  };
  await expect(slot.get(0, () => Promise.reject(new Error('no KDC')))).rejects.toThrow('no KDC');
  const first = ticketUntil(60 * minutes);
  expect(await Promise.all([slot.get(0, fetched(first)), slot.get(0, fetched(first))])).toEqual([
    first,
    first,
  ]);
  expect(await slot.get(54 * minutes, fetched(first))).toBe(first);
  expect(fetches).toBe(1);
  const second = ticketUntil(120 * minutes);
  expect(await slot.get(56 * minutes, fetched(second))).toBe(second);
  expect(fetches).toBe(2);
});
