// `npm run accept -- --base-url https://<gateway>`: uses a deployment as a front end and an agent do, and removes what it
// has made. docs/day-one.md describes the options.
import { appendFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { GraphUser } from '../verify/graph.ts';
import { runningStack } from '../verify/local-targets.ts';
import { accept, lineOf, markdownOf, variableOf, type Target } from './acceptance.ts';
import { defaultLetters, localTarget, removalBy, world } from './targets.ts';
import { steps } from './steps.ts';

const usage = `npm run accept -- --base-url URL | --local [--plan] [--summary FILE]

  --base-url URL   of the gateway, or of the service
  --local          the stack of a running npm start
  --plan           sends nothing: prints the requests of each step
  --summary FILE   appends a table in Markdown, for example to $GITHUB_STEP_SUMMARY
  --no-gateway     the address is the service's own
  --drive ID       of the library, with GRAPH_TOKEN
  --letters PATH   folder of letters in the OneDrive (ACTIVITY_FOLDER), with GRAPH_TOKEN

Tokens are variables; steps whose token is missing are skipped: ${[...new Set(Object.values(variableOf))].join(', ')}, and GRAPH_TOKEN
to remove folders and letters. The user of ACCEPT_TOKEN has the roles Administrator and canCreateActivities.`;

try {
  const { values: options } = parseArgs({
    options: {
      'base-url': { type: 'string' },
      local: { type: 'boolean', default: false },
      plan: { type: 'boolean', default: false },
      'no-gateway': { type: 'boolean', default: false },
      summary: { type: 'string' },
      drive: { type: 'string' },
      letters: { type: 'string', default: defaultLetters },
    },
  });
  const { env } = process;
  const baseUrl = options['base-url']?.replace(/\/+$/, '');
  if (options.plan) {
    for (const { title, needs, requests } of steps) {
      console.log(`${title}${needs === undefined ? '' : ` (${variableOf[needs]})`}`);
      for (const request of requests) console.log(`  ${request}`);
    }
  } else {
    if ((baseUrl === undefined) === !options.local) throw new Error(usage);
    const [token, user] = [env['GRAPH_TOKEN'], env['ACCEPT_TOKEN']];
    const graph = token && new GraphUser('https://graph.microsoft.com/v1.0', token);
    const target: Target = options.local
      ? await localTarget(await runningStack())
      : {
          ...world,
          baseUrl: baseUrl!,
          credentials: {
            ...(user && { user, author: user }),
            ...(env['ACCEPT_NO_ROLE_TOKEN'] && { noRole: env['ACCEPT_NO_ROLE_TOKEN'] }),
          },
          hasGateway: !options['no-gateway'],
          ...(graph &&
            options.drive && { removeItem: removalBy(graph, graph, options.drive, options.letters) }),
        };
    const outcomes = await accept(steps, target, (outcome) => console.log(lineOf(outcome)));
    if (options.summary !== undefined) await appendFile(options.summary, markdownOf(outcomes));
    if (outcomes.some(({ result }) => result === 'FAILED')) process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
