import type { ParsedTargetPath } from '../lib/contract/target-path.ts';
import { failureDelayMs } from './backoff.ts';
import type { Clock } from '../lib/contract/clock.ts';
import { type DestinationRules, resolveDestination } from './destination.ts';
import { failureText, shareVerdict, smbErrorOf } from './failure.ts';
import type { FileServer } from './file-server.ts';
import type { Logger } from './logging.ts';
import { prepareDestination } from './prepare-destination.ts';
import { type ShareFolder, pathOf, uncOf } from './share-folder.ts';
import { type CopySummary, type PathList, copyTemplate } from './template-copy.ts';

/**
 * `release`: nothing is wrong with the request, and another agent may take it at once; it does not count as an expired
 * lease. `not-served`: released too, since another agent has to take it. `leave`: nothing is reported; the lease runs out,
 * which counts.
 */
export type Outcome =
  | { readonly kind: 'fulfilled' }
  | { readonly kind: 'failed'; readonly errorMessage: string }
  | { readonly kind: 'release'; readonly reason: string }
  | { readonly kind: 'not-served'; readonly reason: string }
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
  target: ParsedTargetPath,
  { fileServer, rules, maxBackoffMs, clock, random }: FulfilParts,
  { end, stop }: FulfilSignals,
  log: Logger,
): Promise<Outcome> {
  end.throwIfAborted();
  const destination = resolveDestination(target, rules);
  if ('rejection' in destination) {
    const { rejection, isNotServed } = destination;
    return isNotServed
      ? { kind: 'not-served', reason: rejection }
      : { kind: 'failed', errorMessage: rejection };
  }

  // For the whole request: a target of a DFS link that was chosen once stays, or the work might go on at a replica.
  const shareOf = (folder: ShareFolder) => fileServer.share(folder);
  const { folder } = destination;
  const share = shareOf(folder);
  const template = { share: shareOf(rules.template), path: pathOf(rules.template) };
  const created = new Set<string>();
  let failures = 0;
  let failingSinceMs: number | undefined;
  const onProgress = () => {
    failures = 0;
    failingSinceMs = undefined;
  };

  for (;;) {
    try {
      const sides = { share, template: template.share };
      const prepared = await prepareDestination(destination, sides, { shareOf, rules }, end);
      if ('rejection' in prepared) return { kind: 'failed', errorMessage: prepared.rejection };
      const { isNew, referrals } = prepared;
      if (referrals.length > 0) log.info({ referrals }, 'DFS leads to the destination');
      const summary = await copyTemplate(
        template,
        { share, path: pathOf(folder) },
        { signal: end, destinationIsNew: isNew, created, onProgress, clock },
      );
      return finished(summary, folder, log);
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
      // Where the agent's own servers let it in, only the one that DFS led to does not, which is this request's matter.
      const isElsewhere = async () => (await fileServer.readiness(stop)).ready;
      if (verdict === 'logon-refused') {
        return (await isElsewhere())
          ? { kind: 'failed', errorMessage: failureText(error, fileServer.account) }
          : ending('release', 'the file server refuses the logon', error);
      }
      if (verdict === 'unreachable' && (isStuck || stop.aborted)) {
        // A release would be claimed again at once, and block all others for as long as that server is down.
        const kind = isStuck && (await isElsewhere()) ? 'leave' : 'release';
        return ending(kind, 'the file server can not be reached', error);
      }
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
  const { linksSkipped, leftoversKept, streamsLost, conflicts, nameClashes, ...counts } = summary;
  if (linksSkipped.count > 0) log.warn({ linksSkipped }, 'the template has links; they were not followed');
  if (leftoversKept.count > 0) {
    log.warn(
      { leftoversKept },
      'temporary files stay in the destination: another agent has them open, or a connection that the file server takes for alive. The next request for this directory removes them',
    );
  }
  if (streamsLost.count > 0)
    log.warn({ streamsLost }, 'files of the template have alternate data streams, which are not copied');
  log.info({ destination: uncOf(folder), ...counts }, 'the template is copied');
  const faults = [
    conflicts.count > 0 &&
      `In ${uncOf(folder)} something else stands where the template has a file or directory: ${listed(conflicts)}. ` +
        `Rename what is in the way.`,
    nameClashes.count > 0 &&
      `The template has names that the file server takes for the same, so that only one of each two is in ${uncOf(folder)}: ` +
        `${listed(nameClashes)}. Rename one of them in the template.`,
  ].filter((fault) => fault !== false);
  if (faults.length === 0) return { kind: 'fulfilled' };
  const rest = 'Everything else is there, and nothing existing was changed. Then requeue the request.';
  return { kind: 'failed', errorMessage: `${faults.join(' ')} ${rest}` };
}

function listed({ count, first }: PathList): string {
  return `${first.join(', ')}${count > first.length ? ` and ${count - first.length} more` : ''}`;
}
