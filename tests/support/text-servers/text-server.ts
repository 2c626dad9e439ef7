import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

/** The body of a request. */
export interface TextRequest {
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
  /** Received bodies, including rejected ones. */
  readonly requests: TextRequest[];
  close(): Promise<void>;
}

/** Serves `POST /v1/chat/completions` on loopback with the replies of one kind of server. */
export async function startTextServer(reply: (request: TextRequest) => ServerReply): Promise<TextServer> {
  const requests: TextRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void textOf(incoming).then((json) => {
      const request = JSON.parse(json) as TextRequest;
      requests.push(request);
      const { status, body: response } =
        incoming.method === 'POST' && incoming.url === '/v1/chat/completions'
          ? reply(request)
          : { status: 404, body: { detail: 'Not Found' } };
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(response));
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

/** A completion with the `content` that this kind of server returns. */
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

/** Whether the prompt itself requests JSON, for a model that has no other instruction to write it. */
export function asksForJson({ messages }: TextRequest): boolean {
  return messages.some(({ content }) => /\bJSON object\b.*"subject".*"content"/.test(content));
}
