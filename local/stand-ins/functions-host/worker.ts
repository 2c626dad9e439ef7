// The language worker: loads the bundle and provides the module that @azure/functions expects from its worker,
// `@azure/functions-core`. It behaves like azure-functions-nodejs-worker: registration only during start, hooks in order,
// and an app without functions after an entry point that throws.
import { Server as HttpServer } from 'node:http';
import Module, { createRequire } from 'node:module';
import net from 'node:net';
import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FromHost, FromWorker, FunctionMetadata, InvocationRequest, LogEntry } from './messages.ts';

type Callback = (...inputs: unknown[]) => unknown;
type Hook = (context: Record<string, unknown>) => unknown;

interface InvocationModel {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>;
  invokeFunction(context: unknown, inputs: unknown[], callback: Callback): Promise<unknown>;
  getResponse(context: unknown, result: unknown): Promise<unknown>;
}

interface ProgrammingModel {
  getInvocationModel(coreContext: unknown): InvocationModel;
  getCapabilities?(capabilities: Record<string, string>): Promise<Record<string, string>>;
}

const hookNames = ['preInvocation', 'postInvocation', 'appStart', 'appTerminate', 'log'] as const;
type HookName = (typeof hookNames)[number];

const hooks: Record<HookName, Hook[]> = {
  preInvocation: [],
  postInvocation: [],
  appStart: [],
  appTerminate: [],
  log: [],
};
const functions = new Map<string, { metadata: FunctionMetadata; callback: Callback }>();
const appHookData: Record<string, unknown> = {};
let programmingModel: ProgrammingModel | undefined;
let hasStarted = false;

class Disposable {
  readonly #dispose: () => unknown;
  constructor(dispose: () => unknown) {
    this.#dispose = dispose;
  }
  dispose(): unknown {
    return this.#dispose();
  }
}

const core = {
  version: '3.12.0',
  hostVersion: '4.1042.100',
  Disposable,
  log: (level: string, category: LogEntry['category'], message: string) => log({ level, category, message }),
  getProgrammingModel: () => programmingModel,
  setProgrammingModel(model: ProgrammingModel) {
    if (hasStarted) throw new Error('The programming model can only be set during app startup.');
    programmingModel = model;
  },
  registerHook(name: string, callback: Hook) {
    const list = hooks[name as HookName] as Hook[] | undefined;
    if (!list) throw new RangeError(`Unrecognized hook "${name}"`);
    list.push(callback);
    return new Disposable(() => list.splice(list.indexOf(callback), 1));
  },
  registerFunction(metadata: FunctionMetadata, callback: Callback) {
    if (hasStarted) throw new Error('A function can only be registered during app startup.');
    if (functions.has(metadata.name)) throw new Error(`Function "${metadata.name}" is registered twice.`);
    functions.set(metadata.name, { metadata, callback });
    return new Disposable(() => functions.delete(metadata.name));
  },
};

function send(message: FromWorker): void {
  process.send?.(message);
}

function log(entry: LogEntry): void {
  const context = { level: entry.level, message: entry.message, category: entry.category };
  for (const hook of hooks.log) hook(context);
  send({ type: 'log', entry: { ...entry, level: context.level, message: context.message } });
}

async function runHooks(name: HookName, context: Record<string, unknown>): Promise<void> {
  for (const hook of hooks[name]) await hook(context);
}

function provideCoreModule(): void {
  const { prototype } = Module;
  const original = Reflect.get(prototype, 'require') as (this: unknown, id: string) => unknown;
  prototype.require = function require(id: string): unknown {
    return id === '@azure/functions-core' ? core : original.call(this, id);
  };
}

/** The library's HTTP proxy listens on all interfaces, because it names no host; here it must listen on loopback only. */
function listenOnLoopbackOnly(requestTimeoutMs: number | undefined): void {
  const prototype = net.Server.prototype as { listen: (this: net.Server, ...args: unknown[]) => net.Server };
  const original = prototype.listen;
  prototype.listen = function listen(this: net.Server, ...args: unknown[]) {
    const [first, ...rest] = args;
    if (args.length === 0 || typeof first === 'function') args = [0, 'localhost', ...args];
    else if (typeof first === 'number' && typeof rest[0] !== 'string') args = [first, 'localhost', ...rest];
    if (this instanceof HttpServer && requestTimeoutMs !== undefined) {
      this.requestTimeout = requestTimeoutMs;
      this.headersTimeout = requestTimeoutMs;
      // Node checks for requests that take too long at this interval, which starts when the server listens.
      (this as { connectionsCheckingInterval?: number }).connectionsCheckingInterval = requestTimeoutMs / 10;
    }
    return original.apply(this, args);
  };
}

async function load(entryPoint: string): Promise<string | undefined> {
  try {
    if (entryPoint.endsWith('.cjs')) createRequire(entryPoint)(entryPoint);
    else await import(pathToFileURL(entryPoint).href);
    return undefined;
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    const message = `Worker was unable to load entry point "${relative(process.cwd(), entryPoint)}": ${failure.message}`;
    // Operators see this: the host processes the lines of standard error one by one.
    console.error(failure.stack);
    log({ level: 'error', category: 'system', message });
    functions.clear();
    return message;
  }
}

async function start(entryPoint: string, requestTimeoutMs: number | undefined): Promise<void> {
  provideCoreModule();
  listenOnLoopbackOnly(requestTimeoutMs);
  const startedAt = performance.now();
  try {
    const loadFailure = await load(entryPoint);
    await runHooks('appStart', { hookData: {}, appHookData, functionAppDirectory: dirname(entryPoint) });
    const capabilities = (await programmingModel?.getCapabilities?.({})) ?? {};
    hasStarted = true;
    send({
      type: 'ready',
      functions: [...functions.values()].map(({ metadata }) => ({ ...metadata, functionId: metadata.name })),
      httpUri: capabilities['HttpUri'],
      loadFailure,
      loadMs: performance.now() - startedAt,
    });
  } catch (error) {
    send({
      type: 'startFailed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    process.exitCode = 1;
    process.disconnect();
  }
}

async function invoke(request: InvocationRequest): Promise<void> {
  const { invocationId, functionId } = request;
  try {
    const registered = functions.get(functionId);
    if (!registered || !programmingModel) throw new Error(`Function code for '${functionId}' is not loaded.`);
    const coreContext: Record<string, unknown> = {
      invocationId,
      request,
      metadata: registered.metadata,
      state: undefined,
      log: (level: string, category: LogEntry['category'], message: string) =>
        log({ level, category, message, functionName: functionId, invocationId }),
    };
    const model = programmingModel.getInvocationModel(coreContext);
    const { context, inputs } = await model.getArguments();
    const hookContext: Record<string, unknown> = {
      hookData: {},
      appHookData,
      invocationContext: context,
      inputs,
      functionCallback: registered.callback,
      result: null,
      error: null,
    };
    const inState = async (state: string, run: () => Promise<void>) => {
      coreContext['state'] = state;
      try {
        await run();
      } finally {
        coreContext['state'] = undefined;
      }
    };
    await inState('preInvocationHooks', () => runHooks('preInvocation', hookContext));
    await inState('invocation', async () => {
      try {
        hookContext['result'] = await model.invokeFunction(
          context,
          hookContext['inputs'] as unknown[],
          hookContext['functionCallback'] as Callback,
        );
      } catch (error) {
        hookContext['error'] = error;
      }
    });
    await inState('postInvocationHooks', () => runHooks('postInvocation', hookContext));
    if (hookContext['error']) throw hookContext['error'];
    // With streaming, this sends the response through the library's proxy and returns when it is complete.
    await model.getResponse(context, hookContext['result']);
    send({ type: 'done', invocationId });
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    send({ type: 'failed', invocationId, message });
  }
}

async function terminate(): Promise<void> {
  await runHooks('appTerminate', { hookData: {}, appHookData }).catch((error: unknown) => {
    log({ level: 'error', category: 'system', message: `appTerminate failed: ${String(error)}` });
  });
  process.exit(0);
}

process.on('message', (message: FromHost) => {
  if (message.type === 'invoke') void invoke(message.request);
  else void terminate();
});
process.on('SIGTERM', () => void terminate());

const entryPoint = process.argv[2];
if (entryPoint === undefined)
  throw new Error('The worker requires the entry point of the app as its argument.');
const requestTimeoutMs = process.argv[3] === undefined ? undefined : Number(process.argv[3]);
await start(entryPoint, requestTimeoutMs);
