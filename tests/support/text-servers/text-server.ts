import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly [parameter: string]: unknown;
}

export interface ServerReply {
  readonly status: number;
  readonly body: unknown;
}

export interface TextServer {
  readonly url: string;
  /** Bodies as they came, refused ones included. */
  readonly requests: ChatRequest[];
  close(): Promise<void>;
}

/** `POST /v1/chat/completions` on loopback, answered by one of the kinds of server in this folder. */
export async function startTextServer(reply: (request: ChatRequest) => ServerReply): Promise<TextServer> {
  const requests: ChatRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void textOf(incoming).then((json) => {
      const request = JSON.parse(json) as ChatRequest;
      requests.push(request);
      const { status, body } =
        incoming.method === 'POST' && incoming.url === '/v1/chat/completions'
          ? reply(request)
          : { status: 404, body: { detail: 'Not Found' } };
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A completion whose `content` is whatever this kind of server puts there. */
export function completion(content: unknown): ServerReply {
  return {
    status: 200,
    body: {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    },
  };
}

const letter = {
  subject: 'Verschiebung der Abnahme',
  content: 'Guten Tag Anna Weber,\n\nwir verschieben die Abnahme um „eine Woche“.\n\nMit freundlichen Grüßen',
};

export const letterJson = JSON.stringify(letter);
export const expectedLetter = letter;

/** A model that nothing but its prompt tells to write JSON. */
export function asksForJson({ messages }: ChatRequest): boolean {
  return messages.some(({ content }) => /\bJSON object\b.*"subject".*"content"/.test(content));
}
