import type { FolderRequest } from '../lib/contract/folder-requests.ts';
import { failureDelayMs } from './backoff.ts';
import type { Clock } from '../lib/contract/clock.ts';
import { type DestinationRules, resolveDestination } from './destination.ts';
import { ensureDestination } from './destination-directory.ts';
import { failureText, shareVerdict, smbErrorOf } from './failure.ts';
import type { FileServer } from './file-server.ts';
import type { Logger } from './logging.ts';
import { type ShareFolder, uncOf } from './share-folder.ts';
import { type CopySummary, type PathList, copyTemplate } from './template-copy.ts';

/**
 * `release`: nothing is wrong with the request, and another agent may take it at once; it does not count as an expired
 * lease. `leave`: nothing is reported; the lease runs out, which counts.
 */
export type Outcome =
  | { readonly kind: 'fulfilled' }
  | { readonly kind: 'failed'; readonly errorMessage: string }
  | { readonly kind: 'release'; readonly reason: string }
  | { readonly kind: 'leave'; readonly reason: string };

export interface FulfilParts {
  readonly fileServer: FileServer;
  readonly rules: DestinationRules;
  readonly maxBackoffMs: number;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface FulfilSignals {
  /** Ends the work at once: the claim is lost, or a second signal came. */
  readonly end: AbortSignal;
  /** The agent is asked to stop after this request. */
  readonly stop: AbortSignal;
}

/** A copy that gets nowhere for this long since its first failure is given up; one file may take longer than this. */
export const stuckLimitMs = 5 * 60_000;

/**
 * Makes the directory a folder request asks for and adds what it lacks of the template (docs/http-contract.md, "Duties
 * of an agent" 2 and 3). Failures that may pass are repeated here, with the claim in hand.
 *
 * @throws the reason of `end` when that ended it
 */
export async function fulfil(
  request: FolderRequest,
  { fileServer, rules, maxBackoffMs, clock, random }: FulfilParts,
  { end, stop }: FulfilSignals,
  log: Logger,
): Promise<Outcome> {
  end.throwIfAborted();
  const destination = resolveDestination(request.targetPath, rules);
  if ('refusal' in destination) return { kind: 'failed', errorMessage: destination.refusal };

  const created = new Set<string>();
  let failures = 0;
  let failingSinceMs: number | undefined;
  const onProgress = () => {
    failures = 0;
    failingSinceMs = undefined;
  };

  for (;;) {
    try {
      const share = fileServer.share(destination.folder.share);
      const { path } = destination.folder;
      const { isNew } = await ensureDestination(share, destination, end);
      const template = { share: fileServer.share(rules.template.share), path: rules.template.path };
      const summary = await copyTemplate(
        template,
        { share, path },
        { signal: end, destinationIsNew: isNew, created, onProgress, clock },
      );
      return finished(summary, destination.folder, log);
    } catch (error) {
      end.throwIfAborted();
      fileServer.note(error);
      const verdict = shareVerdict(error);
      failingSinceMs ??= clock.now();
      const isStuck = clock.now() - failingSinceMs >= stuckLimitMs;
      if (verdict === 'report' || (verdict === 'again' && isStuck)) {
        log.error({ err: error }, 'the request can not be fulfilled');
        return { kind: 'failed', errorMessage: failureText(error, fileServer.account) };
      }
      if (verdict === 'logon-refused') return ending('release', 'the file server refuses the logon', error);
      if (verdict === 'unreachable' && (isStuck || stop.aborted))
        return ending('release', 'the file server can not be reached', error);
      if (verdict === 'outage' && isStuck)
        return ending('leave', 'the file server lets the agent in, but the work gets no further', error);
      failures += 1;
      const waitMs = failureDelayMs({ failures, baseMs: 1000, maxMs: maxBackoffMs }, random());
      log.warn({ err: error, failures, waitMs: Math.round(waitMs) }, 'the file server failed; trying again');
      await clock.wait(waitMs, end);
      end.throwIfAborted();
    }
  }
}

function ending(kind: 'release' | 'leave', what: string, error: unknown): Outcome {
  return { kind, reason: `${what} (${smbErrorOf(error)?.message ?? String(error)})` };
}

function finished(summary: CopySummary, folder: ShareFolder, log: Logger): Outcome {
  const { linksSkipped, leftoversKept, conflicts, ...counts } = summary;
  if (linksSkipped.count > 0) log.warn({ linksSkipped }, 'the template has links; they were not followed');
  if (leftoversKept.count > 0) {
    log.warn(
      { leftoversKept },
      'temporary files stay in the destination: another agent has them open, or a connection that the file server takes for alive. The next request for this directory removes them',
    );
  }
  log.info({ destination: uncOf(folder), ...counts }, 'the template is copied');
  if (conflicts.count === 0) return { kind: 'fulfilled' };
  return {
    kind: 'failed',
    errorMessage:
      `In ${uncOf(folder)} something else stands where the template has a file or directory: ${listed(conflicts)}. ` +
      `Everything else is there, and nothing existing was changed. Rename what is in the way, then requeue the request.`,
  };
}

function listed({ count, first }: PathList): string {
  return `${first.join(', ')}${count > first.length ? ` and ${count - first.length} more` : ''}`;
}
