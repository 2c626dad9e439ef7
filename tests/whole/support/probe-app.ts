// A small app that reports what the host passes to @azure/functions; functions-host.test.ts bundles and serves it.
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { app, type HttpRequest, type HttpResponseInit } from '@azure/functions';
import { eventLog } from '../../../lib/base/event-log.ts';
import { atClientPace } from '../../../lib/http/client-pace.ts';
import { ProxyTap } from '../../../lib/http/proxy-tap.ts';

app.setup({ enableHttpStream: true });
const tap = new ProxyTap();

let release: () => void = () => undefined;
const seen: Record<string, unknown> = { timerRuns: 0, hooks: [] as string[], aborts: 0 };
const hooks = seen['hooks'] as string[];

app.hook.appStart(() => void hooks.push('appStart'));
app.hook.preInvocation((context) => void hooks.push(`pre ${context.invocationContext.functionName}`));
app.hook.postInvocation((context) => void hooks.push(`post ${context.invocationContext.functionName}`));

const describe = async (request: HttpRequest): Promise<HttpResponseInit> => ({
  status: 201,
  headers: { 'x-probe': 'yes', connection: 'x-secret', 'x-secret': 'not for the client' },
  jsonBody: {
    method: request.method,
    url: request.url,
    params: request.params,
    query: Object.fromEntries(request.query),
    headers: Object.fromEntries(request.headers),
    body: request.method === 'GET' ? '' : await request.text(),
  },
});

app.http('describe', { methods: ['GET', 'POST'], route: 'v1/things/{id}', handler: describe });
// Both templates match v1/order/fixed: the function whose name sorts first, ignoring case, receives the request.
app.http('b-literal', { methods: ['GET'], route: 'v1/order/fixed', handler: () => ({ body: 'b-literal' }) });
app.http('A-rest', { methods: ['GET'], route: 'v1/order/{*rest}', handler: () => ({ body: 'A-rest' }) });
// The intended order: the specific route first.
app.http('c-literal', { methods: ['GET'], route: 'v1/named/fixed', handler: () => ({ body: 'c-literal' }) });
app.http('d-rest', { methods: ['GET'], route: 'v1/named/{*rest}', handler: () => ({ body: 'd-rest' }) });
app.http('guid', { methods: ['GET'], route: 'v1/things/{id:guid}/deep', handler: describe });
app.http('optional', { methods: ['GET'], route: 'v1/maybe/{id?}', handler: describe });
app.http('rest', { methods: ['GET'], route: 'v1/files/{*path}', handler: describe });
app.http('without-route', { methods: ['DELETE'], handler: () => ({ status: 204 }) });
app.http('seen', { methods: ['GET'], route: 'seen', handler: () => ({ jsonBody: seen }) });

app.http('throws', {
  methods: ['GET', 'POST'],
  route: 'throws',
  handler: () => {
    throw new Error('on purpose');
  },
});

app.http('crash', { methods: ['GET'], route: 'crash', handler: () => process.exit(3) });

app.http('early', {
  methods: ['POST'],
  route: 'early',
  handler: () => ({ status: 401, body: 'not read' }),
});

// Ways to respond before the body is read.
app.http('drains', {
  methods: ['POST'],
  route: 'drains',
  handler: async (request) => {
    for await (const chunk of request.body!) void chunk;
    return { status: 400, body: 'read and dropped' };
  },
});
app.http('stops-reading', {
  methods: ['POST'],
  route: 'stops-reading',
  handler: async (request) => {
    await request.body!.getReader().read();
    return { status: 400, body: 'stopped reading' };
  },
});
const proxied = new Map<string, IncomingMessage>();
subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: IncomingMessage };
  proxied.set(String(request.headers['x-ms-invocation-id']), request);
});
app.http('closes-socket', {
  methods: ['GET', 'POST'],
  route: 'closes-socket',
  handler: async (request, { invocationId }) => {
    if (request.method === 'POST') await request.body!.getReader().read();
    proxied.get(invocationId)?.socket.destroy();
    return { status: 400, body: 'never arrives' };
  },
});

app.http('anonymous', {
  methods: ['GET'],
  route: 'anonymous',
  authLevel: 'anonymous',
  handler: () => ({ status: 204 }),
});
app.http('guarded', {
  methods: ['GET', 'POST'],
  route: 'guarded',
  authLevel: 'function',
  handler: (request) => ({ jsonBody: { query: Object.fromEntries(request.query) } }),
});
app.http('administrative', {
  methods: ['GET'],
  route: 'administrative',
  authLevel: 'admin',
  handler: () => ({ status: 204 }),
});

app.http('foreign-header', {
  methods: ['GET'],
  route: 'foreign-header',
  handler: () => ({ status: 200, headers: { 'x-name': 'Müller' }, body: 'x' }),
});
app.http('large-head', {
  methods: ['GET'],
  route: 'large-head',
  handler: () => ({ status: 200, headers: { 'x-large': 'x'.repeat(40_000) }, body: 'x' }),
});

// The headers of the response are available immediately; its body waits for /drip.
app.http('late-body', {
  methods: ['GET'],
  route: 'late-body',
  handler: () => ({
    status: 202,
    body: new ReadableStream({
      async start(controller) {
        seen['waits'] = true;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        controller.enqueue(new TextEncoder().encode('late'));
        controller.close();
      },
    }),
  }),
});
app.http('breaks-off', {
  methods: ['GET'],
  route: 'breaks-off',
  handler: () => ({
    body: new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('begun')),
      async pull(controller) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        controller.error(new Error('the source broke'));
      },
    }),
  }),
});

app.http('paced-breaks-off', {
  methods: ['GET'],
  route: 'paced-breaks-off',
  handler: (_request, { invocationId }) => ({
    body: atClientPace(
      tap.responseOf(invocationId),
      eventLog(console),
    )(
      (async function* () {
        yield new TextEncoder().encode('begun');
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        throw new Error('the source broke');
      })(),
    ),
  }),
});

// Reads only as fast as /drip allows, which shows that the host does not consume an upload on its own.
app.http('slow-reader', {
  methods: ['POST'],
  route: 'slow-reader',
  handler: async (request) => {
    seen['received'] = 0;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    let bytes = 0;
    try {
      for await (const chunk of request.body!) seen['received'] = bytes += (chunk as Uint8Array).length;
    } catch {
      seen['aborts'] = (seen['aborts'] as number) + 1;
    }
    return { jsonBody: { bytes } };
  },
});
app.http('drip', {
  methods: ['POST'],
  route: 'drip',
  handler: () => {
    release();
    return { status: 204 };
  },
});

const zeros = (bytes: number): ReadableStream<Uint8Array> => {
  let left = bytes;
  seen['sent'] = 0;
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) return controller.close();
      const size = Math.min(left, 65_536);
      left -= size;
      seen['sent'] = (seen['sent'] as number) + size;
      controller.enqueue(new Uint8Array(size));
    },
    cancel() {
      seen['canceled'] = ((seen['canceled'] as number | undefined) ?? 0) + 1;
    },
  });
};

app.http('download', {
  methods: ['GET'],
  route: 'download/{bytes}',
  handler: (request) => ({ body: zeros(Number(request.params['bytes'])) }),
});

app.http('paced-download', {
  methods: ['GET'],
  route: 'paced-download/{bytes}',
  handler: (request, { invocationId }) => ({
    body: atClientPace(
      tap.responseOf(invocationId),
      eventLog(console),
    )(zeros(Number(request.params['bytes']))),
  }),
});

app.timer('tick', {
  schedule: '%TICK_SCHEDULE%',
  handler: async (timer, context) => {
    seen['timerRuns'] = (seen['timerRuns'] as number) + 1;
    seen['timer'] = { ...timer, invocationId: context.invocationId };
    context.log('tick ran');
    const starts = (seen['timerStarts'] ??= []) as number[];
    if (starts.push(Date.now()) === 1 && process.env['SLOW_FIRST_TICK'] === 'true') {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }
  },
});
