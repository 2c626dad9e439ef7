/** An error of the drive API. `inner` are the nested innerError codes, outermost first (docs/drive-rules.md, A10). */
export class GraphError extends Error {
  readonly status: number;
  readonly code: string;
  readonly inner: readonly string[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    { inner = [], headers = {} }: { inner?: readonly string[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.inner = inner;
    this.headers = headers;
  }
}

export const invalidRequest = (message: string, ...inner: string[]) =>
  new GraphError(400, 'invalidRequest', message, { inner });

export const itemNotFound = () => new GraphError(404, 'itemNotFound', 'Item does not exist');

export const nameAlreadyExists = () =>
  new GraphError(409, 'nameAlreadyExists', 'The specified item name already exists.');

export const accessDenied = () => new GraphError(403, 'accessDenied', 'Access denied');

export const sessionNotFound = () =>
  new GraphError(404, 'itemNotFound', 'The upload session was not found', {
    inner: ['uploadSessionNotFound'],
  });

export const preconditionFailed = () =>
  new GraphError(412, 'notAllowed', 'ETag does not match current item value', {
    inner: ['preconditionFailed'],
  });

/** A feature of Graph that this emulator omits; the error cannot be mistaken for one of Graph's own. */
export const notEmulated = (what: string) =>
  new GraphError(501, 'notSupported', `${what} exists in Microsoft Graph but is not emulated here`);

export interface ErrorBodyOptions {
  at: Date;
  requestId: string;
  clientRequestId: string;
  /** A German (or other) text in addition to the message, seen from SharePoint (A2). */
  localizedMessage?: string | undefined;
  /** Errors of the upload host often have no innerError (A10). */
  omitInnerError?: boolean | undefined;
}

export function errorBody(error: GraphError, options: ErrorBodyOptions): unknown {
  const trace = {
    // No time zone, because the real service sends none (A10); this reveals clients that parse it as local time.
    date: options.at.toISOString().slice(0, 19),
    'request-id': options.requestId,
    'client-request-id': options.clientRequestId,
  };
  return {
    error: {
      code: error.code,
      message: error.message,
      ...(options.localizedMessage === undefined ? {} : { localizedMessage: options.localizedMessage }),
      ...(options.omitInnerError === true ? {} : { innerError: nestErrors(error.inner, trace) }),
    },
  };
}

function nestErrors(codes: readonly string[], trace: object): object {
  const [code, ...deeper] = codes;
  if (code === undefined) return trace;
  return { code, ...(deeper.length > 0 ? { innerError: nestErrors(deeper, {}) } : {}), ...trace };
}
