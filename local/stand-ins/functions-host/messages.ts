// The messages between host and worker process. Field names follow the Functions RPC contract (FunctionRpc.proto), as
// the programming model of @azure/functions reads them.

export interface TypedData {
  string?: string;
  json?: string;
}

export interface Binding {
  type: string;
  direction?: string;
  [option: string]: unknown;
}

export interface FunctionMetadata {
  name: string;
  bindings: Record<string, Binding>;
}

export interface InvocationRequest {
  invocationId: string;
  functionId: string;
  inputData: { name: string; data: TypedData }[];
  triggerMetadata: Record<string, TypedData>;
  traceContext: { traceParent: string; traceState: string; attributes: Record<string, string> };
}

export interface LogEntry {
  level: string;
  /**
   * `user`: Function.<name>.User; `console`: Host.Function.Console, a line of the worker's output; `results`: Host.Results,
   * which becomes a request in Application Insights.
   */
  category: 'user' | 'system' | 'console' | 'results';
  message: string;
  functionName?: string;
  invocationId?: string;
}

export type FromHost = { type: 'invoke'; request: InvocationRequest } | { type: 'terminate' };

export type FromWorker =
  | {
      type: 'ready';
      functions: (FunctionMetadata & { functionId: string })[];
      httpUri: string | undefined;
      /** The error of the entry point; in that case there are no functions. */
      loadFailure: string | undefined;
      /** From the import of the entry point to the last start hook. */
      loadMs: number;
    }
  | { type: 'startFailed'; message: string }
  | { type: 'log'; entry: LogEntry }
  | { type: 'done'; invocationId: string }
  | { type: 'failed'; invocationId: string; message: string };
