import { connect } from 'node:net';

export interface RawResponse {
  /** undefined if the connection was closed without a response. */
  status: number | undefined;
  headers: Map<string, string>;
  body: string;
}

/** Sends exactly these bytes and returns the received data when the server closes the connection or `isEnough` accepts it. */
export async function sendRaw(
  origin: string,
  bytes: string | Buffer,
  isEnough: (text: string) => boolean = (text) => text.includes('\r\n\r\n'),
): Promise<RawResponse> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    if (isEnough(text)) socket.destroy();
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await closed;
  const [head, body] = split(text, '\r\n\r\n');
  const [statusLine, ...lines] = head.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(statusLine!)?.[1];
  return {
    status: status === undefined ? undefined : Number(status),
    headers: new Map(
      lines.map((line) => split(line, ': ')).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    body,
  };
}

function split(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)];
}

/** A request with these parts; the header lines have no line ends. */
export const rawRequest = (requestLine: string, headers: readonly string[] = [], body = ''): string =>
  [`${requestLine} HTTP/1.1`, 'host: localhost', ...headers, '', body].join('\r\n');

/** `bytes` zeros in chunked encoding. */
export const chunkedZeros = (bytes: number): string =>
  `${bytes.toString(16)}\r\n${'\0'.repeat(bytes)}\r\n0\r\n\r\n`;
