import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type LookupFunction } from 'node:net';
import { createInterface } from 'node:readline';

/** What runs until it is stopped: accepts connections, and passes them on. */
const program = `
  const { connect, createServer } = require('node:net');
  const server = createServer((socket) => {
    const onward = connect({ host: '127.0.0.1', port: Number(process.argv[1]) });
    for (const each of [socket, onward]) each.on('error', () => undefined);
    socket.pipe(onward).pipe(socket);
  });
  server.listen({ host: '127.0.0.2', port: 0, backlog: 1 }, () => console.log(server.address().port));
`;

export interface SlowListener {
  readonly port: number;
  /** The addresses of a name: the slow one, and one where nothing listens. */
  readonly lookup: LookupFunction;
  /** From the next connection on, one takes about a second until it is established. */
  slowDown(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A listener at 127.0.0.2 with the latency of a slow network: it is stopped with a full queue, so Linux drops the first packet of a
 * connection, whose sender repeats it after a second. Linux only.
 */
export async function startSlowListener(onwardPort: number): Promise<SlowListener> {
  const child: ChildProcess = spawn(process.execPath, ['-e', program, String(onwardPort)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  const listening = Number(line);
  const fillers: ReturnType<typeof connect>[] = [];
  return {
    port: listening,
    lookup: (_host, { all }, callback) => {
      const addresses = ['127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 }));
      if (all) callback(null, addresses);
      else callback(null, '127.0.0.2', 4);
    },
    async slowDown() {
      child.kill('SIGSTOP');
      // Two fill a queue of one.
      for (let count = 0; count < 2; count += 1) {
        const filler = connect({ host: '127.0.0.2', port: listening });
        filler.on('error', () => undefined);
        await once(filler, 'connect');
        fillers.push(filler);
      }
      setTimeout(() => child.kill('SIGCONT'), 600);
    },
    async stop() {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
