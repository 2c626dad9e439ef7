import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

export interface ProxyCounters {
  connections: number;
  bytesToServer: number;
  bytesToClient: number;
  /** Frames of the direct TCP transport (a compound is one), by their length prefix. */
  requestFrames: number;
  responseFrames: number;
  /**
   * Length of the longest chain of requests that each had to wait for an earlier response. With a delay far above the
   * server's own time this is what the caller waits for, regardless of the speed of the machine. It is never too low.
   */
  roundTrips: number;
}

type Mode = 'forwarding' | 'silent';

/** Frame boundaries of a byte stream with the 4-byte length prefix of SMB over TCP. */
class FrameCounter {
  frames = 0;
  #prefix: number[] = [];
  #left = 0;

  take(chunk: Buffer): number {
    const before = this.frames;
    for (let at = 0; at < chunk.length;) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, chunk.length - at);
        this.#left -= step;
        at += step;
        continue;
      }
      this.#prefix.push(chunk[at]!);
      at += 1;
      if (this.#prefix.length === 4) {
        this.#left = Buffer.from(this.#prefix).readUInt32BE() % 0x1000000;
        this.#prefix = [];
        this.frames += 1;
      }
    }
    return this.frames - before;
  }
}

/** Holds what the client will receive until its round is over. */
class Round {
  readonly #quietMs: number;
  readonly #isComplete: () => boolean;
  #deliveries: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(quietMs: number, isComplete: () => boolean) {
    this.#quietMs = quietMs;
    this.#isComplete = isComplete;
  }

  add(delivery: () => void): void {
    this.#deliveries.push(delivery);
    this.moved();
  }

  /** Continues the round: bytes arrived from either side. */
  moved(): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(() => {
      // If this process was paused, a timer fires before the sockets are read, so they are read first.
      setImmediate(() => setImmediate(() => this.#endOf(timer)));
    }, this.#quietMs);
    this.#timer = timer;
  }

  #endOf(timer: NodeJS.Timeout): void {
    if (timer !== this.#timer || !this.#isComplete()) return;
    for (const deliver of this.#deliveries.splice(0)) deliver();
  }
}

/**
 * A TCP proxy that can delay or hold every byte, go silent without closing, or cut connections. It does not limit the
 * bandwidth. The order within a direction is kept, because timers of one duration fire in the order in which they were
 * set.
 */
export class DelayProxy {
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<Socket>();
  #oneWayMs: number;
  #mode: Mode = 'forwarding';
  #cutAfterBytesToServer = Infinity;
  readonly #inLockStep: boolean;
  #held: (() => void)[] | undefined;
  counters: ProxyCounters = newCounters();

  private constructor(targetPort: number, oneWayMs: number, inLockStep: boolean) {
    this.#targetPort = targetPort;
    this.#oneWayMs = oneWayMs;
    this.#inLockStep = inLockStep;
    this.#server = createServer((client) => this.#accept(client));
  }

  /**
   * `oneWayMs` is half of the round-trip time it adds. With `inLockStep` the client receives its responses together:
   * once the server has responded to everything and the client has sent nothing for `oneWayMs`. `roundTrips` is exact
   * then. Otherwise responses to requests of one round that a busy server spreads over more than a round trip count as
   * several rounds.
   */
  static async start(targetPort: number, oneWayMs = 0, { inLockStep = false } = {}): Promise<DelayProxy> {
    const proxy = new DelayProxy(targetPort, oneWayMs, inLockStep);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that neither end has closed. */
  get openConnections(): number {
    return this.#sockets.size / 2;
  }

  setOneWayMs(oneWayMs: number): void {
    this.#oneWayMs = oneWayMs;
  }

  /** Counts from zero, connections included. */
  resetCounters(): void {
    this.counters = newCounters();
  }

  /** Drops everything from now on, in both directions and on new connections: no byte, no FIN, no RST. */
  goSilent(): void {
    this.#mode = 'silent';
  }

  forward(): void {
    this.#mode = 'forwarding';
  }

  /** Holds all bytes until `release` passes them on in order. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const action of held) action();
  }

  /** Cuts every connection after this many more bytes to the server. New connections are forwarded. */
  cutAfter(bytesToServer: number): void {
    this.#cutAfterBytesToServer = this.counters.bytesToServer + bytesToServer;
  }

  /** Drops everything like `goSilent`, and resets the connections to the client: the server does not notice their end. */
  cutClients(): void {
    this.goSilent();
    for (const socket of this.#clients) socket.resetAndDestroy();
  }

  /** Resets every open connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    const server = connect(this.#targetPort, '127.0.0.1');
    this.#clients.add(client);
    client.on('close', () => this.#clients.delete(client));
    // Causal depth of a connection: see ProxyCounters.roundTrips.
    const depth = { sent: 0, reached: 0, delivered: 0 };
    const requests = new FrameCounter();
    const responses = new FrameCounter();
    const round = this.#inLockStep
      ? new Round(this.#oneWayMs, () => responses.frames >= requests.frames)
      : undefined;
    this.counters.connections += 1;
    this.#relay(client, server, {
      arrived: (chunk) => {
        round?.moved();
        depth.sent = depth.delivered + 1;
        this.counters.roundTrips = Math.max(this.counters.roundTrips, depth.sent);
        this.counters.bytesToServer += chunk.length;
        this.counters.requestFrames += requests.take(chunk);
        if (this.counters.bytesToServer >= this.#cutAfterBytesToServer) {
          this.#cutAfterBytesToServer = Infinity;
          this.cut();
        }
        return depth.sent;
      },
      delivered: (sent) => {
        depth.reached = Math.max(depth.reached, sent);
      },
    });
    this.#relay(server, client, {
      round,
      arrived: (chunk) => {
        this.counters.bytesToClient += chunk.length;
        this.counters.responseFrames += responses.take(chunk);
        return depth.reached;
      },
      delivered: (reached) => {
        depth.delivered = Math.max(depth.delivered, reached);
      },
    });
  }

  #relay(
    from: Socket,
    to: Socket,
    watch: {
      arrived: (chunk: Buffer) => number;
      delivered: (depth: number) => void;
      round?: Round | undefined;
    },
  ): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      if (this.#mode === 'forwarding') this.#later(() => to.destroy());
    });
    from.on('end', () => {
      if (this.#mode === 'forwarding') this.#later(() => to.end());
    });
    from.on('data', (chunk) => {
      if (this.#mode === 'silent') return;
      const depth = watch.arrived(chunk);
      const deliver = () => {
        if (this.#mode === 'silent' || to.destroyed) return;
        watch.delivered(depth);
        // Data read before the pause is still delivered, so this can happen several times before one drain.
        if (!to.write(chunk) && !from.isPaused()) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      };
      if (watch.round) watch.round.add(deliver);
      else this.#later(deliver);
    });
  }

  #later(action: () => void): void {
    const act = () => {
      if (this.#held) this.#held.push(action);
      else action();
    };
    if (this.#oneWayMs === 0) act();
    else setTimeout(act, this.#oneWayMs);
  }
}

function newCounters(): ProxyCounters {
  return {
    connections: 0,
    bytesToServer: 0,
    bytesToClient: 0,
    requestFrames: 0,
    responseFrames: 0,
    roundTrips: 0,
  };
}
