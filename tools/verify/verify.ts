// `npm run verify -w tools -- library|identity|texts|agent|deployment [options]`: what the product believes about Graph, Entra ID,
// the provider of texts, file servers, and its own deployment, tried against the real ones. docs/day-one.md describes the options.
import { parseArgs } from 'node:util';
import { appendFile } from 'node:fs/promises';
import { interruption } from './interruption.ts';
import type { Leftovers } from './library/leftovers.ts';
import { largeBytes, usualBytes } from './library/library.ts';
import { exitCodeOf, linesOf, markdownOf, summaryOf, verdictOf, writeReport } from './report.ts';
import {
  chosen,
  type Outcome,
  probeAll,
  type Probing,
  reasonOf,
  type Rule,
  type Run,
  Stopped,
} from './rule.ts';
import { Plan, planOf } from './plan.ts';
import { signInFlags, signInUsage } from './people.ts';
import type { Targets } from './targets.ts';

const suites = ['library', 'identity', 'texts', 'agent', 'deployment'] as const;
type Suite = (typeof suites)[number];

const usage = `npm run verify -w tools -- ${suites.join('|')} [--local | --plan] [--report FILE] [--only RULE] …
npm run accept -- --base-url URL | --local | --plan …    the suite deployment

  --local         the stack of a running npm start
  --plan          sends nothing: prints the requests of the suite
  --report FILE   writes the outcomes as JSON, without tokens, names, and addresses
  --summary FILE  appends a table in Markdown, for example to $GITHUB_STEP_SUMMARY
  --only RULE     rules whose number starts with this, such as A7, and those that make what they use

  library         --drive ID; --second for a second user, who signs in too; --large: also 5 GiB, and more than one page of
                  files; without it 250 MB
  identity        IDP_API_CLIENT_SECRET for the exchange
  texts           the settings AI_… of the service
  agent           the settings FOLDER_AGENT_… of the agent; works in a folder below FOLDER_AGENT_ROOT_PATH
  deployment      uses it as a front end and an agent do, and removes what it has made
    --base-url URL     of the gateway, or of the service
    --service-url URL  the service's own address, which must let nobody in who comes without the gateway
    --no-gateway       --base-url is the service's own address
    --drive ID         of the library, to remove folders and letters at the end
    --no-role          a user without a role signs in, too

${signInUsage}
A pipeline, where nobody can sign in, sets GRAPH_TOKEN, GRAPH_SECOND_TOKEN, or API_TOKEN instead; for a deployment ACCEPT_TOKEN,
ACCEPT_NO_ROLE_TOKEN, and GRAPH_TOKEN, or nothing: then only what needs no user is probed. The user of a deployment has the
roles Administrator and canCreateActivities.`;

const newName = (): string => `_verify-${crypto.randomUUID().slice(0, 8)}`;

// Each suite is imported there: their packages take more than half of the time of a start, and a pipeline has none.
async function run(suite: Suite, targets: Targets, only: string, signal?: AbortSignal): Promise<Run> {
  const onOutcome = (outcome: Outcome) => console.log(linesOf(outcome));
  const probing = { onOutcome, ...(signal && { signal }) };
  switch (suite) {
    case 'library': {
      const [{ Library }, { libraryRules }] = [
        await import('./library/library.ts'),
        await import('./library/rules.ts'),
      ];
      const library = await Library.create(await targets.library(), newName());
      return probeIn(library, chosen(libraryRules, only), probing);
    }
    case 'identity': {
      const { identityRules, requireProvider } = await import('./identity-rules.ts');
      const target = await targets.identity();
      const requireTarget = () => requireProvider(target);
      return probeAll(chosen(identityRules, only), target, { ...probing, requireTarget });
    }
    case 'texts': {
      const { requireTextProvider, textRules } = await import('./text-rules.ts');
      const target = await targets.texts();
      const requireTarget = () => requireTextProvider(target);
      return probeAll(chosen(textRules, only), target, { ...probing, requireTarget });
    }
    case 'agent': {
      const { AgentFolder, agentRules } = await import('./agent-rules.ts');
      await using target = await targets.agent();
      const folder = await AgentFolder.create(target, newName());
      // Awaited, because the target ends with this function.
      return await probeIn(folder, chosen(agentRules, only), probing);
    }
    case 'deployment': {
      const { deploymentRules, probeDeployment } = await import('./deployment/rules.ts');
      const rules = chosen(deploymentRules, only);
      const { leftovers, ...result } = await probeDeployment(rules, await targets.deployment(), probing);
      showLeftovers(leftovers);
      return result;
    }
    default:
      return suite satisfies never;
  }
}

interface Folder {
  readonly leftovers: Leftovers;
  requireFolder(): Promise<void>;
  remove(): Promise<void>;
}

/** Probes in the folder of this run, and removes it. */
async function probeIn<F extends Folder>(
  folder: F,
  rules: readonly Rule<F>[],
  probing: Probing,
): Promise<Run> {
  try {
    return await probeAll(rules, folder, { ...probing, requireTarget: () => folder.requireFolder() });
  } finally {
    await folder.remove();
    showLeftovers(folder.leftovers);
  }
}

async function planned(suite: Suite, only: string, largestBytes: number): Promise<string> {
  if (suite === 'deployment') {
    const { deploymentRules } = await import('./deployment/rules.ts');
    return planOf(chosen(deploymentRules, only));
  }
  if (suite === 'agent')
    throw new Error(
      'The agent suite makes one folder _verify-… below FOLDER_AGENT_ROOT_PATH with seven files, and removes it.',
    );
  const { standInTargets } = await import('./stand-in-targets.ts');
  const plan = new Plan();
  await using standIns = await standInTargets({ largestBytes, onRequest: plan.add });
  const none = () => Promise.reject(new Error());
  const print = console.log;
  console.log = () => undefined;
  await run(suite, { ...standIns, deployment: none, agent: none }, only);
  console.log = print;
  return plan.text;
}

function showLeftovers({ removed, left }: Leftovers): void {
  for (const name of removed) console.log(`Removed ${name}, which an interrupted run had left.`);
  for (const name of left) console.log(`Not removed: ${name}.`);
}

try {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      local: { type: 'boolean', default: false },
      plan: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      second: { type: 'boolean', default: false },
      report: { type: 'string' },
      only: { type: 'string', default: '' },
      summary: { type: 'string' },
      drive: { type: 'string' },
      'base-url': { type: 'string' },
      'service-url': { type: 'string' },
      'no-gateway': { type: 'boolean', default: false },
      'no-role': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      ...signInFlags,
    },
  });
  if (options.help) {
    console.log(usage);
    process.exit();
  }
  const [name] = positionals;
  const suite = suites.find((each) => each === name);
  if (suite === undefined || positionals.length > 1) throw new Error(usage);
  if (suite === 'deployment' && !options.plan && (options['base-url'] === undefined) === !options.local)
    throw new Error(usage);
  if (options.plan) {
    console.log(await planned(suite, options.only, options.large ? largeBytes : usualBytes));
  } else {
    const signal = interruption();
    try {
      const targets = options.local
        ? await (await import('./local-targets.ts')).localTargets(signal)
        : (await import('./remote-targets.ts')).remoteTargets(options, process.env, signal);
      const result = await run(suite, targets, options.only, signal);
      const headline = (suite === 'deployment' ? verdictOf(result) : '') + summaryOf(result);
      console.log(`\n${headline}`);
      if (options.summary !== undefined) await appendFile(options.summary, markdownOf(result, headline));
      if (options.report !== undefined) await writeReport(options.report, suite, result, new Date());
      process.exitCode = exitCodeOf(result);
    } catch (error) {
      // Before the first rule.
      if (!signal.aborted) throw error;
      throw new Stopped(reasonOf(error, signal));
    }
  }
} catch (error) {
  console.error(
    error instanceof Stopped ? `Stopped: ${error.message}` : error instanceof Error ? error.message : error,
  );
  process.exitCode = 2;
}
