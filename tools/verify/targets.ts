import type { AgentTarget } from './agent-rules.ts';
import type { DeploymentTarget } from './deployment/deployment.ts';
import type { IdentityTarget } from './identity-rules.ts';
import type { LibraryTarget } from './library/library.ts';
import type { TextTarget } from './text-rules.ts';

/** Where the suites go: a tenant, a running stack, or stand-ins of their own. */
export interface Targets {
  library(): Promise<LibraryTarget>;
  identity(): Promise<IdentityTarget>;
  texts(): Promise<TextTarget>;
  deployment(): Promise<DeploymentTarget>;
  agent(): Promise<AgentTarget & AsyncDisposable>;
}

/** Those that stand-ins alone can be. */
export type StandInSuites = Omit<Targets, 'deployment' | 'agent'>;
