import { randomBytes } from 'node:crypto';
import { TableClient, type TransactionAction } from '@azure/data-tables';
import {
  applyClaim,
  pendingFolderRequest,
  applyReport,
} from '../../../lib/folder-requests/requests/folder-request.ts';
import { createdAtMsOf, RequestIds } from '../../../lib/folder-requests/requests/request-id.ts';
import { creation } from '../../../lib/folder-requests/table/transitions.ts';
import type { Stage } from './stage.ts';

// Three rows each; a transaction has at most 100.
const perTransaction = 33;

export const pathOfRequest = (number: number): string => `Projekte\\Nummer ${number}`;

/** Writes requests that were fulfilled a day ago into the queue's table, as the service would have left them. */
export async function addFulfilledRequests({ stack }: Stage, count: number): Promise<void> {
  const { connectionString } = stack.description.tables;
  const table = TableClient.fromConnectionString(connectionString, 'FolderRequests', {
    allowInsecureConnection: true,
  });
  const ids = new RequestIds(randomBytes);
  const startMs = Date.now() - 86_400_000;
  const actionsOf = (number: number): TransactionAction[] => {
    const id = ids.next(startMs + number, 0);
    const createdAtMs = createdAtMsOf(id);
    const request = pendingFolderRequest({
      id,
      targetPath: pathOfRequest(number),
      requestedByUserId: 'user-1',
      createdAtMs,
    });
    const claim = applyClaim(
      request,
      { agentId: 'agent-1', claimToken: 'token' },
      { nowMs: createdAtMs, leaseMs: 1000 },
    );
    const report = applyReport(claim, 'agent-1', { status: 'FULFILLED' }, createdAtMs);
    if (!('next' in report)) throw new Error('The report was rejected.');
    return creation(report.next, 'example');
  };
  for (let first = 0; first < count; first += perTransaction) {
    const numbers = Array.from({ length: Math.min(perTransaction, count - first) }, (_, at) => first + at);
    await table.submitTransaction(numbers.flatMap(actionsOf));
  }
}
