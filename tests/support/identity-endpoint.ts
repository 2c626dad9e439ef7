import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

export type RespondToken = (response: ServerResponse) => void;

let respond: RespondToken | undefined;
let url: Promise<string> | undefined;

/**
 * App Service's endpoint for the tokens of the app, which responds so until the test ends. A process has one server:
 * @azure/msal-node keeps the first endpoint that it reads from the environment for as long as its process lives, and repeats a
 * call to one that is gone for 5 s.
 */
export async function identityEndpoint(respondToken: RespondToken): Promise<void> {
  url ??= listen();
  vi.stubEnv('IDENTITY_ENDPOINT', await url);
  vi.stubEnv('IDENTITY_HEADER', 'for-the-app');
  respond = respondToken;
  onTestFinished(() => {
    vi.unstubAllEnvs();
    respond = undefined;
  });
}

async function listen(): Promise<string> {
  const server = createServer((_request, response) => respond?.(response)).unref();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/msi/token`;
}
