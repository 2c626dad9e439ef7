// List prices in euros at 0.92 € for a dollar. They are assumptions entered by hand: check the price list of your region and
// contract before you rely on them. Facts that are not amounts have their source.

export const prices = {
  tableOperationsPer10k: 0.00034,
  logsPerGigabyte: 2.6,
  executionsPerMillion: 0.37,
  /** Of on-demand instances. The free grant of a subscription is not subtracted. */
  gigabyteSecond: 0.000024,
  /** Of always-ready instances: while they exist, and in addition while they execute functions. */
  readyGigabyteSecond: 0.0000037,
  readyExecutionGigabyteSecond: 0.0000147,
  privateEndpoint: 6.7,
  privateDnsZone: 0.46,
  /** A virtual machine of two cores with its disk, all month: the pipeline's runner inside a private network. */
  runner: 35,
  /** A log search rule that is evaluated every five minutes. */
  alertRule: 1.38,
} as const;

/**
 * The tiers of API Management that the policies run on. "10M/50M API requests included per month for Basic v2/Standard v2":
 * azure.microsoft.com/pricing/details/api-management, read on 2026-09-20. The tier Consumption has neither rate limits by
 * key nor an internal cache.
 */
export const gateways = {
  BasicV2: { name: 'Basic v2', month: 138, includedCalls: 10e6, furtherMillion: 2.76 },
  StandardV2: { name: 'Standard v2', month: 644, includedCalls: 50e6, furtherMillion: 2.3 },
} as const;
export type Gateway = keyof typeof gateways;

export const secondsPerMonth = 30 * 86_400;
