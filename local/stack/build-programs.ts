import { buildAgent } from '../release/build.ts';
import type { StackOptions } from './stack.ts';

/**
 * Builds what a stack runs, except the service, which it builds itself while its other parts start.
 *
 * `LOCAL_STACK_APP_DIRECTORY` and `LOCAL_STACK_AGENT_PROGRAM` name programs built before, for tests that start the same code
 * several times.
 */
export async function buildPrograms(): Promise<Pick<StackOptions, 'appDirectory' | 'agentProgram'>> {
  const { LOCAL_STACK_APP_DIRECTORY: appDirectory, LOCAL_STACK_AGENT_PROGRAM: agentProgram } = process.env;
  if (appDirectory !== undefined && agentProgram !== undefined) return { appDirectory, agentProgram };
  console.log('Building …');
  await buildAgent();
  return {};
}
