import { afterAll, afterEach, beforeAll } from 'vitest';
import { agentProgram } from '../../support/built-agent.ts';
import { packagedApp } from '../../support/built-console.ts';
import { Stage } from './stage.ts';

/**
 * One stack and one browser for all tests of a file, with the product as it ships: starting them takes longer than most of
 * the tests. `prepare` runs before any test.
 */
export function useStage({ prepare }: { prepare?: (stage: Stage) => Promise<void> } = {}): () => Stage {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.set({ appDirectory: await packagedApp(), agentProgram: agentProgram() });
    await prepare?.(stage);
  }, 240_000);
  afterEach(({ task }) => stage.clear({ test: task.name, hasFailed: task.result?.state === 'fail' }));
  afterAll(() => stage?.stop());
  return () => stage;
}
