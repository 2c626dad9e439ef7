import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BilledTime } from './billed-time.ts';
import { costsOf, kinds, type KindName } from './kinds.ts';
import { gateways, prices, secondsPerMonth, type Gateway } from './prices.ts';
import { simulate, type HourlyUse, type Load } from './simulation.ts';

/** How the templates deploy the service. */
export interface Deployment {
  readonly gateway: Gateway;
  /** A private network and one always-ready instance, as in prod of main.bicepparam; otherwise as in dev. */
  readonly isPrivate: boolean;
  readonly instanceMB: 512 | 2048;
}

export interface Customer extends Load {
  readonly name: string;
}

/** Euros a month. */
export interface Bill {
  readonly gateway: number;
  /** Endpoints, DNS zones, the runner, alert rules, the always-ready instance, and the timers. */
  readonly fixed: number;
  readonly compute: number;
  /** Executions, tables, and logs. */
  readonly rest: number;
  readonly total: number;
}

const workingHours = 22 * 10;
const otherHours = 30 * 24 - workingHours;
const instanceGigabytes = (megabytes: number): number => (megabytes / 2048) * 2;

const bicep = (path: string): string =>
  readFileSync(join(import.meta.dirname, '../../../bicep', path), 'utf8');
/** What main.bicep deploys for a private network: each module call, times the items of its list. */
function privateParts(): { readonly endpoints: number; readonly zones: number } {
  const text = bicep('main.bicep');
  const lists = [...text.matchAll(/for groupId in \[([^\]]*)\]: if \(privateNetwork\)/g)];
  const single = [...text.matchAll(/'modules\/private-endpoint\.bicep' = if \(privateNetwork\)/g)];
  const [, zones = ''] = /var zoneNames = \{([^}]*)\}/.exec(bicep('modules/network.bicep')) ?? [];
  return {
    endpoints: lists.reduce((total, [, list = '']) => total + list.split(',').length, single.length),
    zones: [...zones.matchAll(/^ *\w+:/gm)].length,
  };
}
const alertRules = [...bicep('modules/alerts.bicep').matchAll(/^ {4}key: '/gm)].length;

/** The timers run in instances of their own, in turn: the queue every minute, uploads every ten minutes. */
function timerSeconds(): number {
  const billed = new BilledTime();
  billed.add(0, 100);
  const runs = (secondsPerMonth / 60) * (1 + 1 / 10);
  return (billed.totalMs / 1000) * runs;
}

/** Storage requests of the queue's timer with one shard: leases, FAILED, outcomes, statistics (2), the row of the shards. */
export const idleMinute = 9;
/** Every ten minutes: keys of uploads. */
const idleTenMinutes = 1;
/** Each run of a timer is recorded, and looks at the runs of the others. */
const recordedRun = 2;
/** Each minute: when the agents called. */
const agentRows = 1;
/** Every ten minutes, where there is a system of record: its last synchronizations of projects and contacts. */
const lastSyncs = 2;
export const timerOperations =
  30 * 24 * (60 * (idleMinute + agentRows + recordedRun) + 6 * (idleTenMinutes + lastSyncs + recordedRun));

/** What a deployment costs without any caller. */
function fixedCosts({ gateway, isPrivate, instanceMB }: Deployment): {
  gateway: number;
  fixed: number;
} {
  const gigabytes = instanceGigabytes(instanceMB);
  const { endpoints, zones } = privateParts();
  const network = endpoints * prices.privateEndpoint + zones * prices.privateDnsZone;
  const ready = gigabytes * secondsPerMonth * prices.readyGigabyteSecond;
  const timers =
    timerSeconds() * gigabytes * prices.gigabyteSecond +
    (timerOperations * prices.tableOperationsPer10k) / 1e4;
  return {
    gateway: gateways[gateway].month,
    fixed: (isPrivate ? network + ready + prices.runner : 0) + alertRules * prices.alertRule + timers,
  };
}

/** What the calls of a month cost. */
function callCosts(
  { gateway, isPrivate, instanceMB }: Deployment,
  hours: readonly (readonly [use: HourlyUse, hours: number])[],
): { gateway: number; compute: number; rest: number } {
  const { includedCalls, furtherMillion } = gateways[gateway];
  const sum = (amount: (use: HourlyUse) => number): number =>
    hours.reduce((total, [use, count]) => total + amount(use) * count, 0);
  const calls = sum(({ gatewayCalls }) => gatewayCalls);
  const perSecond = isPrivate ? prices.readyExecutionGigabyteSecond : prices.gigabyteSecond;
  return {
    gateway: (Math.max(0, calls - includedCalls) / 1e6) * furtherMillion,
    compute: sum(({ billedSeconds }) => billedSeconds) * instanceGigabytes(instanceMB) * perSecond,
    rest: sum(({ requests }) =>
      (Object.entries(requests) as [KindName, number][]).reduce((total, [kind, count]) => {
        const { tables, executions, logs } = costsOf(kinds[kind]);
        return total + count * (tables + executions + logs);
      }, 0),
    ),
  };
}

/** The use of a month: its working hours, and all others. */
export const useOf = (customer: Customer): readonly (readonly [HourlyUse, number])[] => [
  [simulate(customer), workingHours],
  [simulate({ ...customer, users: 0 }), otherHours],
];

export function billOf(deployment: Deployment, use: readonly (readonly [HourlyUse, number])[]): Bill {
  const base = fixedCosts(deployment);
  const calls = callCosts(deployment, use);
  const { compute, rest } = calls;
  const gateway = base.gateway + calls.gateway;
  return { gateway, fixed: base.fixed, compute, rest, total: gateway + base.fixed + compute + rest };
}

/** What idle agents add to a deployment without callers, in euros a month. */
export function idleCosts(load: Omit<Load, 'users'>, instanceMB: Deployment['instanceMB'] = 2048) {
  const use = simulate({ ...load, users: 0 });
  const costs = callCosts({ gateway: 'StandardV2', isPrivate: false, instanceMB }, [[use, 30 * 24]]);
  return { total: costs.compute + costs.rest, calls: use.gatewayCalls * 30 * 24 };
}
