import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildAgent } from '../../local/release/build.ts';

/**
 * vitest globalSetup: builds the agent once for a project that starts it often. A start takes 0.1 s of processor time
 * instead of 0.25 s from the sources, the build 0.5 s.
 */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'agent-bundle-'));
  await buildAgent(directory);
  provide('built', { 'agent/main.ts': directory });
  return () => rm(directory, { recursive: true, force: true });
}
