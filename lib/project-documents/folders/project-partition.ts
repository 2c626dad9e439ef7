import { createHash } from 'node:crypto';

/**
 * The partition of all rows of a project: 60 bits of a digest of its id. If two projects had the same partition (1 in
 * 10^8 among 100,000), they would only share it; rows name their project.
 */
export const partitionOf = (projectId: string): string =>
  createHash('sha256').update(projectId, 'utf8').digest('hex').slice(0, 15);
