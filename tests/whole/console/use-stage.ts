import { afterAll, afterEach, beforeAll } from 'vitest';
import { agentProgram } from '../../support/built-agent.ts';
import { packagedApp } from '../../support/built-console.ts';
import { Stage } from './stage.ts';
import { mark } from '/tmp/team/cpu61.ts';

/**
 * One stack and one browser for all tests of a file, with the product as it ships: starting them takes longer than most of
 * the tests. `prepare` runs before any test.
 */
export function useStage({ prepare }: { prepare?: (stage: Stage) => Promise<void> } = {}): () => Stage {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.set({ appDirectory: await packagedApp(), agentProgram: agentProgram() });
    mark('start');
    await prepare?.(stage);
    mark('prepare');
  }, 240_000);
  afterEach(async ({ task }) => {
    mark(task.name);
    await stage.clear({ test: task.name, hasFailed: task.result?.state === 'fail' });
    mark('clear');
  });
  afterAll(async () => {
    await stage?.stop();
    mark('stop');
  });
  return () => stage;
}
