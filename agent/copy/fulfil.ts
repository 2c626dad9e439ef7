import type { ParsedTargetPath } from '../../lib/contract/target-path.ts';
import { failureDelayMs } from '../base/backoff.ts';
import type { Clock } from '../../lib/contract/clock.ts';
import { type DestinationRules, resolveDestination } from './destination.ts';
import {
  type Failure,
  failureOf,
  isShareRejection,
  notReadyText,
  shareVerdict,
  smbErrorOf,
} from '../base/failure.ts';
import type { FileServer } from './file-server.ts';
import type { Logger } from '../base/logging.ts';
import { prepareDestination } from './prepare-destination.ts';
import { pathListText } from '../base/path-list.ts';
import { type CopySummary, copyTemplate } from './template-copy.ts';
import type { IsSkipped } from '../base/skipped-names.ts';

/**
 * - `release`: the request is valid, and another agent may claim it immediately; does not count as an expired lease.
 * - `not-served`: also released, because only another agent can fulfill it.
 * - `leave`: nothing is reported; the lease expires, which counts.
 */
export type Outcome =
  | { readonly kind: 'fulfilled' }
  | ({ readonly kind: 'failed' } & Failure)
  | { readonly kind: 'release'; readonly reason: string }
  | { readonly kind: 'not-served'; readonly reason: string }
  | { readonly kind: 'leave'; readonly reason: string };

export interface FulfilParts {
  readonly fileServer: FileServer;
  readonly rules: DestinationRules;
  readonly maxBackoffMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** Names of the template that are not copied. */
  readonly isSkipped?: IsSkipped | undefined;
}

export interface FulfilSignals {
  /** Stops the work immediately: the claim is lost, or a second signal arrived. */
  readonly end: AbortSignal;
  /** The agent should stop after this request. */
  readonly stop: AbortSignal;
}

/** The agent gives up a copy that makes no progress for this long after a failure. One file may take longer. */
export const stuckLimitMs = 5 * 60_000;

/**
 * Creates the directory of a folder request, and adds the missing parts of the template. Retries failures that may pass.
 *
 * @throws the reason of `end` when that ended it
 */
export async function fulfil(
  target: ParsedTargetPath,
  { fileServer, rules, maxBackoffMs, clock, random, isSkipped }: FulfilParts,
  { end, stop }: FulfilSignals,
  log: Logger,
): Promise<Outcome> {
  end.throwIfAborted();
  const destination = resolveDestination(target, rules);
  if ('rejection' in destination) {
    const { rejection, isNotServed } = destination;
    return isNotServed ? { kind: 'not-served', reason: rejection } : rejectionOutcome(rejection);
  }

  // One handle for the whole request keeps the chosen target of a DFS link; another replica may lag behind.
  const share = fileServer.folder({ ...destination.folder, segments: [] });
  const template = fileServer.folder(rules.template);
  const created = new Set<string>();
  const compared = new Set<string>();
  const failed = (error: unknown): Outcome => ({ kind: 'failed', ...failureOf(error, fileServer.account) });
  let failures = 0;
  let failingSinceMs: number | undefined;
  const onProgress = () => {
    failures = 0;
    failingSinceMs = undefined;
  };

  for (;;) {
    try {
      const parts = { share, template, fileServer, rules, clock };
      const prepared = await prepareDestination(destination, parts, end);
      if ('rejection' in prepared) return rejectionOutcome(prepared.rejection);
      const { directory, referrals } = prepared;
      if (referrals.length > 0) log.info({ referrals }, 'DFS leads to the destination');
      const options = { signal: end, created, compared, onProgress, clock, isSkipped };
      const summary = await copyTemplate(template, directory, options);
      fileServer.noteSkipped(template.unc, summary.skipped);
      return concludeCopy(summary, directory.unc, fileServer.account, log);
    } catch (error) {
      end.throwIfAborted();
      fileServer.note(error);
      const verdict = shareVerdict(error);
      failingSinceMs ??= clock.now();
      const isStuck = clock.now() - failingSinceMs >= stuckLimitMs;
      if (verdict === 'report' || (verdict === 'again' && isStuck)) {
        log.error({ err: error }, 'the request cannot be fulfilled');
        return failed(error);
      }
      // Then only the server or share that this request's path leads to fails.
      const areOwnSharesReady = async () => (await fileServer.readiness(stop)).ready;
      if (isShareRejection(error) && (await areOwnSharesReady())) return failed(error);
      if (verdict === 'logon-rejected' || (verdict === 'not-ready' && (isStuck || stop.aborted))) {
        // A released request would be claimed again immediately, and block all others while that server is down.
        const isLeft = !stop.aborted && (await areOwnSharesReady());
        return ending(isLeft ? 'leave' : 'release', error, fileServer.account);
      }
      if (verdict === 'outage' && isStuck) {
        const what = 'the file server accepts the logon, but the copy makes no progress';
        return { kind: 'leave', reason: `${what} (${messageOf(error)})` };
      }
      failures += 1;
      const waitMs = failureDelayMs({ failures, baseMs: 1000, maxMs: maxBackoffMs }, random());
      log.warn({ err: error, failures, waitMs: Math.round(waitMs) }, 'the file server failed; retrying');
      await clock.wait(waitMs, end);
      end.throwIfAborted();
    }
  }
}

const rejectionOutcome = (errorMessage: string): Outcome => ({
  kind: 'failed',
  errorCode: 'path_not_allowed',
  errorParams: {},
  errorMessage,
});

const messageOf = (error: unknown) => smbErrorOf(error)?.message ?? String(error);

function ending(kind: 'release' | 'leave', error: unknown, account: string): Outcome {
  const smb = smbErrorOf(error);
  const what = smb === undefined ? 'the file server cannot be reached' : notReadyText(smb, account);
  return { kind, reason: `${what} (${messageOf(error)})` };
}

function concludeCopy(summary: CopySummary, destination: string, account: string, log: Logger): Outcome {
  const { linksSkipped, loops, leftoversKept, streamsLost, conflicts, nameClashes, unreadable } = summary;
  const { namesUnusable, filesCreated, filesExisting, bytesCopied, filesCopiedByServer } = summary;
  const { directoriesCreated, leftoversRemoved, skipped } = summary;
  const counts = {
    directoriesCreated,
    filesCreated,
    filesExisting,
    bytesCopied,
    filesCopiedByServer,
    leftoversRemoved,
    skipped: skipped.count,
  };
  if (namesUnusable.count > 0) {
    log.warn(
      { namesUnusable },
      'the template has names that no path can hold, such as one with a backslash; these are not copied. Rename them on the disk of the file server',
    );
  }
  if (linksSkipped.count > 0) log.warn({ linksSkipped }, 'the template has links; they were not followed');
  if (loops.count > 0) {
    log.warn(
      { loops },
      'the template has links that the file server follows to a directory above them, or more than 64 levels; these directories stay empty. Remove the links from the template',
    );
  }
  if (leftoversKept.count > 0) {
    log.warn(
      { leftoversKept },
      'temporary files remain in the destination: another agent has them open, or a broken connection that the file server has not closed yet. The next request for this directory removes them',
    );
  }
  if (streamsLost.count > 0)
    log.warn({ streamsLost }, 'files of the template have alternate data streams, which are not copied');
  log.info({ destination, ...counts }, 'copied the template');
  const faults: string[] = [];
  if (conflicts.count > 0) {
    faults.push(
      `${destination} has a file or link where the template has a directory, or the reverse: ${pathListText(conflicts)}. For operators: rename these.`,
    );
  }
  if (nameClashes.count > 0) {
    faults.push(
      `The template has names that are the same name to the file server, so only one of each pair is in ${destination}: ${pathListText(nameClashes)}. For operators: rename one of each pair in the template.`,
    );
  }
  if (unreadable.count > 0) {
    faults.push(
      `The template has files or directories that ${account} cannot read: ${pathListText(unreadable)}. For operators: grant it Read, or close them where they are open.`,
    );
  }
  if (faults.length === 0) return { kind: 'fulfilled' };
  const rest = 'Everything else is copied, and nothing that existed was changed.';
  const clash = [conflicts, nameClashes].find(({ count }) => count > 0);
  return {
    kind: 'failed',
    errorCode: clash ? 'name_clash' : 'template_unreadable',
    errorParams: { names: pathListText(clash ?? unreadable) },
    errorMessage: `${faults.join(' ')} ${rest}`,
  };
}
