import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>API reference</title>
<link rel="stylesheet" href="/swagger-ui.css">
<div id="reference"></div>
<script src="/swagger-ui-bundle.js"></script>
<script src="/start.js"></script>
`;

// Only to read: commands to try are in the output of npm start, with tokens.
const start = `SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#reference', deepLinking: true, supportedSubmitMethods: [], defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

// Of Swagger UI, which is not part of the product: resolved when a page is requested.
const style = (): string => import.meta.resolve('swagger-ui-dist/swagger-ui.css');
const script = (): string => import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js');

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface ApiReference {
  readonly origin: string;
  stop(): Promise<void>;
}

/**
 * A page on loopback that renders the OpenAPI document of the service, without any other origin.
 * @param openApi reads the document; called for each view, so a restarted service shows its own
 */
export async function startApiReference(openApi: () => Promise<string>): Promise<ApiReference> {
  const files = new Map<string, readonly [type: string, read: () => Promise<string | Buffer>]>([
    ['/', ['text/html; charset=utf-8', async () => page]],
    ['/start.js', ['text/javascript', async () => start]],
    ['/swagger-ui.css', ['text/css', () => readFile(fileURLToPath(style()))]],
    ['/swagger-ui-bundle.js', ['text/javascript', () => readFile(fileURLToPath(script()))]],
    ['/openapi.json', ['application/json', openApi]],
  ]);
  const respond = async (url: string, response: ServerResponse): Promise<void> => {
    const [type, read] = files.get(url.split('?')[0] ?? '') ?? [];
    if (type === undefined || read === undefined) return void response.writeHead(404).end();
    const contents = await read();
    response
      .writeHead(200, {
        'content-type': type,
        'content-security-policy': policy,
        'cache-control': 'no-store',
      })
      .end(contents);
  };
  const server = createServer((request, response) => {
    respond(request.url ?? '', response).catch((error: unknown) => {
      response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' }).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
