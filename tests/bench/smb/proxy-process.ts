import { DelayProxy } from '../../../agent/smb/tests/support/delay-proxy.ts';

// The delaying proxy in its own process, so that it takes no time from a contender's event loop.

const [targetPort, oneWayMs] = process.argv.slice(2).map(Number);
const proxy = await DelayProxy.start(targetPort ?? 0, oneWayMs ?? 0);
process.on('message', () => {
  process.send?.(proxy.counters);
  proxy.resetCounters();
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port: proxy.port });
