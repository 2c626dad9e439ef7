import { once } from 'node:events';
import { startNodeChild, type NodeChild } from '../processes/node-child.ts';

export interface AgentProcess extends NodeChild {
  /** Resolves with the signal or exit code when the process ends, for any reason. */
  ended: Promise<string>;
}

/** Runs the built agent in a process that exits with this one. */
export function startAgentProcess(
  env: Record<string, string>,
  {
    program,
    args = [],
    onOutput = () => undefined,
  }: { program: string; args?: string[]; onOutput?: (text: string) => void },
): AgentProcess {
  const child = startNodeChild(program, { args, env, onOutput });
  const ended = once(child.process, 'exit').then(([code, signal]) => String(signal ?? `exit code ${code}`));
  return { ...child, ended };
}
