// A small app that shows what the host hands to @azure/functions; bundled and served by functions-host.test.ts.
import { app, type HttpRequest, type HttpResponseInit } from '@azure/functions';
import { atClientPace } from '../../../lib/http/client-pace.ts';

app.setup({ enableHttpStream: true });

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
app.http('literal', { methods: ['GET'], route: 'v1/things/fixed', handler: () => ({ body: 'literal' }) });
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

// Reads only as fast as /drip allows: shows that the host does not swallow an upload on its own.
let release: () => void = () => undefined;
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
      seen['cancelled'] = ((seen['cancelled'] as number | undefined) ?? 0) + 1;
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
    body: atClientPace(invocationId, zeros(Number(request.params['bytes']))),
  }),
});

app.timer('tick', {
  schedule: '%TICK_SCHEDULE%',
  handler: (timer, context) => {
    seen['timerRuns'] = (seen['timerRuns'] as number) + 1;
    seen['timer'] = { ...timer, invocationId: context.invocationId };
    context.log('tick ran');
  },
});
