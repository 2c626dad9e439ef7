import { join } from 'node:path';
import { builtFrom } from './built-from.ts';

/** The agent's bundle, from `agent-bundle.ts` or `bundles.ts`. */
export const agentProgram = (): string => join(builtFrom('agent/main.ts'), 'agent.cjs');
