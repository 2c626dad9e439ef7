import type { Leftovers } from '../library/leftovers.ts';
import { probeAll, type Probing, type Rule, type Run } from '../rule.ts';
import { callerRules } from './caller-rules.ts';
import { Deployment, type DeploymentTarget, ruleOf } from './deployment.ts';
import { documentRules } from './document-rules.ts';
import { edgeRules } from './edge-rules.ts';
import { lastRemoval } from './sample.ts';
import { agentRules, textRules, partRules } from './work-rules.ts';

/** In the order of a run: later ones use what earlier ones have made. */
export const deploymentRules: readonly Rule<Deployment>[] = [
  ...callerRules,
  ...documentRules,
  ...agentRules,
  ...textRules,
  ...edgeRules,
  ...partRules,
  lastRemoval,
].map(ruleOf);

/** Runs every rule, also after one that differs: what a later one finds is worth knowing. What was made is removed at the end. */
export async function probeDeployment(
  rules: readonly Rule<Deployment>[],
  target: DeploymentTarget,
  probing: Pick<Probing, 'onOutcome' | 'signal'>,
): Promise<Run & { readonly leftovers: Leftovers }> {
  const deployment = new Deployment(target);
  const { now } = target;
  try {
    const requireTarget = () => deployment.requireService();
    const run = await probeAll(rules, deployment, { ...probing, requireTarget, now });
    return { ...run, leftovers: deployment.leftovers };
  } finally {
    await deployment.remove(lastRemoval);
  }
}
