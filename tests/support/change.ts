import { IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Around } from '../../local/stand-ins/around.ts';

/** A small change to what a server receives or sends. */
export interface Change {
  /** Of `METHOD /path?query`, decoded. */
  readonly line: RegExp;
  /** Responds instead of the server; undefined to let it respond. */
  readonly respond?: (
    request: IncomingMessage,
  ) => { readonly status: number; readonly body?: unknown; readonly headers?: object } | 'reset' | undefined;
  /** Changes the request before the server sees it. */
  readonly url?: (url: string) => string;
  readonly requestBody?: (body: any) => unknown;
  readonly withoutRequestHeader?: string;
  /** Changes the response. */
  readonly status?: (status: number) => number;
  readonly withoutHeader?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly edit?: (body: any) => unknown;
  /** Ends the body after so many bytes, as if it were whole. */
  readonly cutAt?: number;
  /** From this request on; default 0, the first one. */
  readonly after?: number;
}

/** Puts the change that `current` returns around a server; without one, everything passes unchanged. */
export function changing(current: () => Change | undefined): Around {
  const seen = new Map<Change, number>();
  return (handler) => async (request, response) => {
    const change = current();
    if (!change?.line.test(`${request.method} ${readable(request.url ?? '')}`)) {
      return handler(request, response);
    }
    const count = seen.get(change) ?? 0;
    seen.set(change, count + 1);
    if (count < (change.after ?? 0)) return handler(request, response);
    const own = change.respond?.(request);
    if (own === 'reset') return void request.socket.destroy();
    if (own) {
      request.resume();
      const isText = typeof own.body === 'string';
      response.writeHead(own.status, {
        'content-type': isText ? 'text/html' : 'application/json',
        ...own.headers,
      });
      return void response.end(isText ? own.body : own.body && JSON.stringify(own.body));
    }
    changeResponse(response, change);
    return handler(await changedRequest(request, change), response);
  };
}

async function changedRequest(request: IncomingMessage, change: Change): Promise<IncomingMessage> {
  request.url = change.url?.(request.url ?? '') ?? request.url ?? '';
  if (change.withoutRequestHeader !== undefined) delete request.headers[change.withoutRequestHeader];
  if (!change.requestBody) return request;
  const text = JSON.stringify(change.requestBody(JSON.parse((await buffer(request)).toString())));
  const { method, url, headers, socket } = request;
  const length = { 'content-length': String(Buffer.byteLength(text)) };
  const changed = Object.assign(new IncomingMessage(socket), {
    method,
    url,
    headers: { ...headers, ...length },
    // Its end would otherwise count as a disconnect, and close the socket.
    complete: true,
  });
  changed.push(text);
  changed.push(null);
  return changed;
}

function changeResponse(response: ServerResponse, change: Change): void {
  const writeHead = response.writeHead.bind(response);
  const end = response.end.bind(response);
  const { withoutHeader, headers = {}, edit, cutAt } = change;
  if (cutAt !== undefined) return cut(response, cutAt);
  const parts: Buffer[] = [];
  let head: { status: number; headers: Record<string, unknown> } | undefined;
  const flush = (): void => {
    if (!head) return;
    if (withoutHeader !== undefined) response.removeHeader(withoutHeader);
    const kept = Object.entries(head.headers).filter(([name]) => name.toLowerCase() !== withoutHeader);
    writeHead(change.status?.(head.status) ?? head.status, {
      ...Object.fromEntries(kept),
      ...headers,
    } as any);
  };
  response.writeHead = (status: number, ...rest: unknown[]) => {
    head = { status, headers: (rest.at(-1) ?? {}) as Record<string, unknown> };
    if (!edit) flush();
    return response;
  };
  if (!edit) return;
  response.write = ((part: Buffer) => {
    parts.push(Buffer.from(part));
    return true;
  }) as ServerResponse['write'];
  response.end = ((part?: Buffer | string) => {
    if (part) parts.push(Buffer.from(part));
    const received = Buffer.concat(parts).toString();
    const text = received.startsWith('{') ? JSON.stringify(edit(JSON.parse(received))) : received;
    if (head) {
      for (const name of Object.keys(head.headers)) {
        if (name.toLowerCase() === 'content-length') delete head.headers[name];
      }
      head.headers['content-length'] = Buffer.byteLength(text);
    }
    flush();
    return end(text, 'utf8');
  }) as ServerResponse['end'];
}

/** A gateway that stops at its buffer, and says nothing of it. */
function cut(response: ServerResponse, most: number): void {
  const writeHead = response.writeHead.bind(response);
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = most;
  const shortened = (part: Buffer | string): Buffer => {
    const kept = Buffer.from(part).subarray(0, left);
    left -= kept.length;
    return kept;
  };
  response.writeHead = (status: number, ...rest: unknown[]) => {
    const head = Object.entries((rest.at(-1) ?? {}) as Record<string, string | number>).map(([name, value]) =>
      name.toLowerCase() === 'content-length' ? [name, Math.min(Number(value), most)] : [name, value],
    );
    return writeHead(status, Object.fromEntries(head));
  };
  // Always ready: what is cut off is still read from the server behind.
  response.write = ((part: Buffer) => (left > 0 ? write(shortened(part)) : true)) as ServerResponse['write'];
  response.end = ((part?: Buffer | string) => end(part ? shortened(part) : '')) as ServerResponse['end'];
}

function readable(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
