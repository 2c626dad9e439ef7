// What the service costs: a request of each kind, idle agents, and three customers. Billed time is simulated, storage
// operations are those that the tests count, prices are assumptions (costs/prices.ts).

import { billOf, idleCosts, useOf, timerOperations, type Customer, type Deployment } from './costs/bill.ts';
import { costsOf, kinds, type Kind } from './costs/kinds.ts';
import { gateways, prices } from './costs/prices.ts';

const customers: readonly Customer[] = [
  { name: 'a small office: 1 agent, 30 users', agents: 1, users: 30, caches: true },
  { name: 'ten sites: 10 agents, 300 users', agents: 10, users: 300, caches: true },
  { name: 'fifty sites: 50 agents, 1,500 users', agents: 50, users: 1500, caches: true },
];

const deployments: readonly Deployment[] = [
  { gateway: 'BasicV2', isPrivate: false, instanceMB: 512 },
  { gateway: 'BasicV2', isPrivate: false, instanceMB: 2048 },
  { gateway: 'StandardV2', isPrivate: true, instanceMB: 2048 },
];

const euros = (amount: number): string => amount.toFixed(amount < 9.95 ? 1 : 0);
const table = (head: string, rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.replaceAll(/[^|]+/g, '---'), ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');

/** The table of the customers in bicep/README.md, "Costs". */
export function billText(): string {
  const rows = customers.flatMap((customer) => {
    const use = useOf(customer);
    return deployments.map((deployment) => {
      const { gateway, fixed, compute, rest, total } = billOf(deployment, use);
      const network = deployment.isPrivate ? 'private' : 'public';
      return [
        customer.name,
        gateways[deployment.gateway].name,
        network,
        `${deployment.instanceMB.toLocaleString('en')} MB`,
        ...[gateway, fixed, compute, rest].map(euros),
        `**${euros(total)}**`,
      ];
    });
  });
  return table(
    '| customer | gateway tier | network | instances | gateway | fixed | compute | calls | € a month |',
    rows,
  );
}

/** A sentence of the same section: each deployment without any use. */
export function environmentText(): string {
  const [small = '', , large = ''] = deployments.map((deployment) => euros(billOf(deployment, []).total));
  return `A further environment, for example for tests, costs € ${small} a month without any use with Basic v2 and instances of 512 MB, and € ${large} with Standard v2 and a private network.`;
}

/** The table of idle agents. */
export function idleText(): string {
  const rows = [1, 10, 50].map((agents) => {
    const before = idleCosts({ agents, caches: false });
    const after = idleCosts({ agents, caches: true });
    const small = idleCosts({ agents, caches: true }, 512);
    const slow = idleCosts({ agents, caches: false, pollIntervalMs: 30_000 });
    const cells = [before, slow, after, small].map(({ total }) => euros(total));
    return [agents, ...cells, `${(after.calls / 1e6).toFixed(1)} million`];
  });
  return table(
    '| idle agents | every 3 s, no cache | every 30 s, no cache | **every 3 s, cache** | the same, 512 MB | calls of the gateway |',
    rows,
  );
}

/** The table of kinds. */
export function kindText(): string {
  const { presence: _, ...listed } = kinds;
  return table(
    '| a million of | tables | executions | logs | compute, each alone |',
    Object.values(listed).map((kind: Kind) => {
      const { tables, executions, logs } = costsOf(kind);
      const alone = (Math.max(1000, kind.milliseconds) / 1000) * 2 * prices.gigabyteSecond;
      const cells = [tables, executions, logs, alone].map((part) => (part * 1e6).toFixed(2));
      return [kind.name, ...cells.slice(0, 3), `${cells[3]}${kind.extra ?? ''}`];
    }),
  );
}

/** A sentence of the same section. */
export const timerText = (): string =>
  `The timers of an idle service make ${timerOperations.toLocaleString('en')} storage requests in 30 days.`;

export function run(): Promise<void> {
  console.log([billText(), environmentText(), idleText(), kindText(), timerText()].join('\n\n'));
  return Promise.resolve();
}
