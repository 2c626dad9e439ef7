import { expect, test } from 'vitest';
import { costsOfOperations, rowsPerSecond, startSlowQueue } from '../../support/slow-queue.ts';

test(
  'with 50,000 pending for another server, 100,000 finished and 2,000 rows a second, every operation takes below a second or returns a page and a cursor, and costs claims what it costs in an empty queue',
  { timeout: 600_000 },
  async () => {
    const [full, empty] = await Promise.all([startSlowQueue(50_000, 100_000), startSlowQueue(0, 0)]);
    try {
      const costs = await costsOfOperations(full);
      const slow = [...costs].filter(([, { scanned, hasNext }]) => scanned > rowsPerSecond && !hasNext);
      expect(slow).toEqual([]);
      // Reads that filter are allowed seven seconds.
      for (const { scanned } of costs.values()) expect(scanned).toBeLessThanOrEqual(7 * rowsPerSecond);
      const gauges = full.log.named('folder_queue_gauges');
      expect(gauges).toHaveLength(1);
      expect(gauges[0]!.fields['pending']).toBeGreaterThanOrEqual(1_000);
      expect(gauges[0]!.fields['oldestPendingSeconds']).toBeGreaterThan(3_600);
      // Exactly the same requests and rows, which is less than the ratio of 1.2 that is allowed.
      const inEmpty = await costsOfOperations(empty);
      for (const name of [...costs.keys()].filter((operation) =>
        operation.startsWith('claim of one server'),
      )) {
        expect([name, costs.get(name)]).toEqual([name, inEmpty.get(name)]);
      }
    } finally {
      await Promise.all([full.stop(), empty.stop()]);
    }
  },
);
