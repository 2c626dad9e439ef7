import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe } from 'vitest';
import { appDirectory } from '../support/built-functions.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { acceptanceStories } from './deployed-api/acceptance.ts';
import { idleLogStories } from './deployed-api/idle-logs.ts';
import { openApiStories } from './deployed-api/openapi-fuzz.ts';
import { operatorStories } from './deployed-api/operator-commands.ts';
import { packageStories } from './deployed-api/package.ts';
import { releasedAgentIds, releasedAgentStories } from './deployed-api/released-agents.ts';

// One stack for everything that calls the API of the deployed package, because a start costs seconds of processor time.

let current: Stack;
beforeAll(async () => {
  current = await startStack({
    appDirectory: await appDirectory(),
    agent: false,
    agentIds: ['agent-1', 'agent-spare', ...releasedAgentIds],
  });
  // The library is called directly, too.
  const { caCertificate } = current.description;
  setDefaultCACertificates([...getCACertificates(), await readFile(caCertificate, 'utf8')]);
});
afterAll(() => current?.stop());
const stack = () => current;

// First, because an agent is seen once.
describe('logs', () => idleLogStories(stack));
describe('the package', () => packageStories(stack));
describe('npm run accept', () => acceptanceStories(stack));
describe('the commands of operators', () => operatorStories(stack));
describe('released agents', () => releasedAgentStories(stack));
// Last, because it leaves requests that an agent would fulfill.
describe('the document of the API', () => openApiStories(stack));
