import { agent, agentChange, agentList, agentParams } from '../lib/contract/agents.ts';
import {
  claimedFolderRequest,
  claimBody,
  folderRequest,
  folderRequestHeartbeat,
  folderRequestLease,
  folderRequestParams,
  folderRequestRelease,
  folderRequestReport,
  routingOf,
  turnOf,
} from '../lib/contract/folder-requests.ts';
import { agentItems } from '../lib/folder-requests/agent-registry.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

const longestIdleMs = 30_000;

const held = { agentId: 'berlin', attempts: 1 };

// As long as an agent of 1.0 waits, and the most that the gateway does.
const defaultWaitMs = 15_000;
const longestWaitMs = 60_000;

/** For how long the agent waits for the response, which it says with `Prefer: wait=SECONDS` (RFC 7240, 4.3). */
function waitMsIn(prefer: string | null): number {
  const seconds = /(?:^|[,;])\s*wait\s*=\s*(\d{1,4})\s*(?:$|[,;])/i.exec(prefer ?? '')?.[1];
  return seconds === undefined ? defaultWaitMs : Math.min(Number(seconds) * 1000, longestWaitMs);
}

/** What an agent calls, in the order of its work on a request, and what administrators do with agents. */
export function agentOperations({ agents, clock, folderRequests }: Services): readonly Operation[] {
  const common = { tag: 'folder requests', access: { kind: 'agent' } } as const;
  const ofClaim = { ...common, params: folderRequestParams };
  const administrators = { tag: 'agents', access: { kind: 'user', anyOf: ['Administrator'] } } as const;
  return [
    operation({
      ...common,
      id: 'claim-folder-request',
      method: 'POST',
      route: 'v1/folder-requests/claim',
      summary: 'Claim the oldest open folder request',
      description:
        "First in, first out by creation. The claim is a lease that lasts until leaseExpiresAt; a heartbeat extends it. When the lease expires, the request becomes claimable again. A body restricts the claim to targets that the agent can serve: UNC paths on one of the servers, relative paths with relative: true. Names are compared without case, and a short name (fs1) and a full name that starts with it (fs1.firma.example) are the same server. A claim with cache-control: no-cache is never responded to from the gateway's cache. With process and poll, a claim whose response was lost can be repeated, with cache-control: no-cache: it returns the same request until that has ended.",
      body: claimBody,
      isBodyOptional: true,
      responses: {
        200: {
          description: 'Claimed by the calling agent',
          schema: claimedFolderRequest,
          example: { ...held, status: 'PROCESSING' },
        },
        204: {
          description: 'Nothing to do',
          headers: {
            'x-idle-seconds':
              'For so long, at most 30 s, the same claim finds nothing, unless a request is created, requeued, or released, or an agent is resumed',
          },
        },
      },
      // An idle agent gets one every three seconds.
      unloggedStatus: 204,
      async handle({ caller, request, body, log }) {
        const pause = await agents.pauseOf(caller);
        const routing = body && routingOf(body);
        const waitMs = waitMsIn(request.headers.get('prefer'));
        const mayBeRepeated = request.headers.get('cache-control')?.includes('no-cache') ?? false;
        const repeat = { turn: body && turnOf(body), mayBeRepeated };
        const result = pause.isPaused
          ? { idleMs: pause.forMs }
          : await folderRequests.claim(caller, log, routing, waitMs, repeat);
        void agents.recordCall(caller, request.headers.get('user-agent'), routing ?? 'all');
        if ('claimed' in result) return { status: 200, jsonBody: result.claimed };
        // A gateway responds to the same claim in the meantime, so this bounds the wait for what changes without notice.
        const idleSeconds = Math.floor(Math.min(result.idleMs, longestIdleMs) / 1000);
        return { status: 204, headers: idleSeconds > 0 ? { 'x-idle-seconds': String(idleSeconds) } : {} };
      },
    }),
    operation({
      ...ofClaim,
      id: 'heartbeat-folder-request',
      method: 'POST',
      route: 'v1/folder-requests/{id}/heartbeat',
      summary: 'Extend the lease of a claim',
      description: 'Sent by the agent that holds the claim, well before leaseExpiresAt.',
      body: folderRequestHeartbeat,
      responses: {
        200: { description: 'Extended', schema: folderRequestLease },
      },
      problems: ['folder_request_not_found', 'claim_lost'],
      async handle({ caller, request, params, body, log }) {
        const lease = await folderRequests.heartbeat(params.id, caller.id, body.claimToken, log);
        void agents.recordCall(caller, request.headers.get('user-agent'));
        return { status: 200, jsonBody: lease };
      },
    }),
    operation({
      ...ofClaim,
      id: 'release-folder-request',
      method: 'POST',
      route: 'v1/folder-requests/{id}/release',
      summary: 'Release a claim',
      description:
        'Sent by the agent that holds the claim when it stops or cannot serve the target. The request is immediately PENDING again, in its old place. The reason is kept in the history, and the release does not count as an expired lease; the 200th one since the request was last queued makes it FAILED.',
      body: folderRequestRelease,
      responses: {
        200: { description: 'Pending again', schema: folderRequest, example: held },
      },
      problems: ['folder_request_not_found', 'claim_lost'],
      async handle({ caller, request, params, body, log }) {
        const released = await folderRequests.release(params.id, caller, body, log);
        void agents.recordCall(caller, request.headers.get('user-agent'));
        return { status: 200, jsonBody: released };
      },
    }),
    operation({
      ...ofClaim,
      id: 'report-folder-request',
      method: 'PATCH',
      route: 'v1/folder-requests/{id}/status',
      summary: 'Report the outcome of a folder request',
      description:
        'FULFILLED or FAILED, sent by the agent that holds the claim. Repeating the same report changes nothing. errorMessage is required with FAILED, rejected with FULFILLED, and cut at 8,000 characters. An errorCode that the service does not know becomes other; errorParams is cut to 10 entries, their names to 40 characters of A-Z a-z 0-9 _, their values to 500.',
      body: folderRequestReport,
      responses: {
        200: {
          description: 'Recorded',
          schema: folderRequest,
          example: { ...held, status: 'FULFILLED', processedAt: '2026-11-20T09:58:53.945Z' },
        },
      },
      problems: ['folder_request_not_found', 'not_processing', 'claim_lost'],
      async handle({ caller, request, params, body, log }) {
        const reported = await folderRequests.report(params.id, caller, body, log);
        void agents.recordCall(caller, request.headers.get('user-agent'));
        return { status: 200, jsonBody: reported };
      },
    }),
    operation({
      ...administrators,
      id: 'list-agents',
      method: 'GET',
      route: 'v1/agents',
      summary: 'List the agents',
      description:
        "Every agent seen within the last 30 days, sorted by id, with its state and current folder request. The state is silent after three minutes without a claim, heartbeat, report, or release. Version and host are those of its User-Agent, and null if that is another program's. An agent whose key has no id is shown as key-<digest>. What another instance of the service has seen is visible within a minute.",
      responses: { 200: { description: 'All agents', schema: agentList } },
      async handle() {
        const [seen, statistics] = await Promise.all([agents.all(), folderRequests.agentStatistics(24)]);
        return { status: 200, jsonBody: { items: agentItems(seen, statistics, clock.now()) } };
      },
    }),
    operation({
      ...administrators,
      id: 'change-agent',
      method: 'PUT',
      route: 'v1/agents/{id}',
      summary: 'Pause an agent',
      description:
        'The claims of a paused agent find nothing, for maintenance of its file server; it can report and release what it holds. Takes effect within a minute.',
      params: agentParams,
      body: agentChange,
      responses: { 200: { description: 'Changed', schema: agent } },
      problems: ['not_found'],
      async handle({ params, body, log }) {
        const changed = await agents.setPaused(params.id, body.isPaused);
        log.info('agent_changed', { agent: params.id, isPaused: body.isPaused });
        const statistics = await folderRequests.agentStatistics(24);
        return { status: 200, jsonBody: agentItems([changed], statistics, clock.now())[0] };
      },
    }),
  ];
}
