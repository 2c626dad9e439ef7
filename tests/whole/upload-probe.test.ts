import { readFileSync } from 'node:fs';
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startStack, type Stack } from '../support/stack.ts';
import { AzureShell } from '../support/azure-cli.ts';
import { appDirectory } from '../support/built-functions.ts';
import { readPolicy, deployedPolicy } from '../support/policy-document.ts';
import { runInbound } from '../support/policy-run.ts';

// Runs the runbook's probe against the real package on a host that buffers bodies of declared length. Verifies that
// bicep/probe-uploads.sh distinguishes a gateway that forwards chunked from one that does not.

const template = readFileSync(join(import.meta.dirname, '../../bicep/policies/api.xml'), 'utf8');
const policy = readPolicy(deployedPolicy(template, 0)).root;
const projectId = 'probe';
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ appDirectory: await appDirectory(), agent: false });
  const { baseUrl, tokens } = stack.description;
  const put = await fetch(`${baseUrl}/api/v1/projects/${projectId}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${tokens.administrator}`, 'content-type': 'application/json' },
    body: JSON.stringify({ number: 'P-1', name: 'Probe' }),
  });
  expect(put.status).toBe(201);
});
afterAll(() => stack?.stop());

/**
 * Forwards uploads according to the policy. `removesLength` specifies whether the policy's removal of Content-Length has an
 * effect, which is unknown for API Management.
 */
async function startGateway(removesLength: boolean): Promise<Server> {
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { headersDistinct, method, url = '' } = incoming;
    const inbound = runInbound(policy, {
      operation: 'upload-project-document',
      url,
      headers: headersDistinct as Record<string, string[]>,
    });
    const headers = Object.fromEntries(inbound.headers);
    const length = headersDistinct['content-length']?.[0];
    if (!removesLength && length !== undefined) headers['content-length'] = length;
    delete headers['host'];
    delete headers['connection'];
    const onward = forward(`${stack.description.baseUrl}${url}`, { method, headers }, (incoming) => {
      outgoing.writeHead(incoming.statusCode ?? 500, incoming.headers);
      incoming.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe.each([
  [true, 0, /^yes: /],
  [false, 1, /^no: /],
] as const)('with a gateway that removes Content-Length: %s', (removesLength, status, verdict) => {
  let gateway: Server;
  let shell: AzureShell;
  beforeAll(async () => {
    gateway = await startGateway(removesLength);
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    shell = new AzureShell();
  });

  test(`the probe exits with ${status}`, async () => {
    const env = {
      TOKEN: stack.description.tokens.projectManager,
      PROJECT_ID: projectId,
      GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
      APPLICATION_INSIGHTS_NAME: 'appi',
      PROBE_MIB: '3',
      TELEMETRY_LOG: stack.logs.functions,
    };
    const outcome = await shell.run('probe-uploads.sh', ['streaming'], { env });
    expect(outcome.printed).toMatch(verdict);
    expect(outcome.status).toBe(status);
    shell.remove();
  });
});
