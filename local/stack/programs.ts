import { buildAgent } from '../../release/build/build.ts';
import { layOutFunctions } from '../../release/package/package-functions.ts';

/** Builds the contents of the package for Azure, except compressed copies of the console's files. Returns its folder. */
export async function buildServiceIn(folder: string): Promise<string> {
  await layOutFunctions(folder);
  return folder;
}

/** Builds the agent's bundle. Returns its path. */
export const buildAgentIn = async (folder: string): Promise<string> => (await buildAgent(folder)).file;

/**
 * The programs that `LOCAL_STACK_APP_DIRECTORY` and `LOCAL_STACK_AGENT_PROGRAM` name: tests build them once and start them
 * several times.
 */
export function programsBuiltBefore(): { appDirectory?: string; agentProgram?: string } {
  const { LOCAL_STACK_APP_DIRECTORY: appDirectory, LOCAL_STACK_AGENT_PROGRAM: agentProgram } = process.env;
  return {
    ...(appDirectory !== undefined && { appDirectory }),
    ...(agentProgram !== undefined && { agentProgram }),
  };
}
