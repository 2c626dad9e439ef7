/** The wire shapes of the folder-request routes. The service validates requests with them, and the agent reads responses. */
import * as z from 'zod';
import { because } from './faults.ts';
import { failureCodes, isFailureCode } from './failure-codes.ts';
import { projectId } from './project-id.ts';
import { maxRoutingServers } from './server-names.ts';
import { maxTargetPathLength, parseTargetPath } from './target-path.ts';
import { text, wellFormed } from './text.ts';

export const folderRequestStatuses = ['PENDING', 'PROCESSING', 'FULFILLED', 'FAILED'] as const;
export type FolderRequestStatus = (typeof folderRequestStatuses)[number];
export const folderRequestOutcomes = ['FULFILLED', 'FAILED'] as const;
export type FolderRequestOutcome = (typeof folderRequestOutcomes)[number];

/** The service truncates longer error messages instead of rejecting them: the report matters more than its tail. */
export const maxErrorMessageLength = 8000;

const failureCode = z.enum(failureCodes).meta({
  id: 'FailureCode',
  description: 'Why a folder request is FAILED; `other` for what the agent did not say.',
});
// Bounded by the body: what is too long for the record is cut.
const failureParams = z.record(wellFormed(), wellFormed()).meta({
  description:
    'The facts of errorCode: `path` on the file server, `names` in it, the `times` that a lease expired.',
  example: { path: '\\\\files\\projects\\2026-0815' },
});

const timestamp = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-20T09:58:53.945Z' });
const claimToken = text(128).min(1).meta({
  description: 'Proves the claim. Issued by the claim call; invalid once another claim replaces it.',
});

/** Parses to the stored form (NFC, backslashes only). Each fault of the path is a separate issue. */
const requestedTargetPath = z
  .string()
  .check((context) => {
    const parsed = parseTargetPath(context.value);
    if ('path' in parsed) context.value = parsed.path.text;
    else {
      for (const { code, params } of parsed.faults) {
        context.issues.push({ code: 'custom', message: code, params, input: context.value });
      }
    }
  })
  .meta({
    description:
      'Absolute (\\\\server\\share\\folder…) or relative to the root path of the agent (folder\\folder).',
    minLength: 1,
    maxLength: maxTargetPathLength,
    example: '\\\\files\\projects\\2026-0815',
  });

export const folderRequestParams = z.strictObject({
  id: z.uuid(because('not_uuid')).toLowerCase().meta({ description: 'Id of the folder request.' }),
});

/** What a requester may state besides the path, and the entry repeats: texts. A new one is a line here, and in rows.ts. */
const statedFields = {
  projectId: projectId.optional().meta({ description: 'The project that the directory is for.' }),
};
export type StatedFields = { readonly [Name in keyof typeof statedFields]?: string | undefined };
export const statedNames = Object.keys(statedFields) as readonly (keyof StatedFields)[];

export const newFolderRequest = z
  .strictObject({ targetPath: requestedTargetPath, ...statedFields })
  .meta({ id: 'NewFolderRequest' });

/** An item of a batch, which has its idempotency key in the body. */
export const newKeyedFolderRequest = newFolderRequest
  .extend({
    key: text(128).min(1).meta({
      description: 'As an Idempotency-Key: within 24 hours, the same key returns the same request',
      example: 'import-2026-0815',
    }),
  })
  .meta({ id: 'NewKeyedFolderRequest' });

export const folderRequestRequeue = z
  .strictObject({ targetPath: requestedTargetPath.optional() })
  .meta({ id: 'FolderRequestRequeue' });

export const folderRequest = z
  .object({
    id: z.uuid(),
    targetPath: z.string(),
    requestedByUserId: z.string().nullable(),
    requestedByName: z.string().nullable().meta({
      description: 'The name of the requester in the token of the request; null for requests of 1.0.',
      example: 'Erika Muster',
    }),
    agentId: z.string().nullable().meta({ example: null }),
    status: z.enum(folderRequestStatuses),
    errorMessage: z.string().nullable().meta({ example: null }),
    errorCode: failureCode.optional(),
    errorParams: failureParams.optional(),
    attempts: z.int().min(0).meta({ description: 'How often it was claimed.', example: 0 }),
    createdAt: timestamp,
    updatedAt: timestamp,
    processedAt: timestamp
      .nullable()
      .meta({ description: 'When it became FULFILLED or FAILED.', example: null }),
    ...statedFields,
    unserved: z
      .literal(true)
      .optional()
      .meta({ description: 'PENDING, and no agent has served its server within the last day.' }),
  })
  .meta({ id: 'FolderRequest' });
export type FolderRequest = z.infer<typeof folderRequest>;

const historyEvents = [
  'created',
  'claimed',
  'lease_expired',
  'released',
  'fulfilled',
  'failed',
  'requeued',
  'repaired_by_hand',
] as const;

const historyEntry = z
  .object({
    at: timestamp,
    event: z.enum(historyEvents),
    agentId: z.string().optional(),
    userId: z.string().optional(),
    userName: z.string().optional().meta({
      description:
        'The name of the user who requeued or freed the request or corrected its path, in the token of that call.',
      example: 'Erika Muster',
    }),
    message: z.string().optional(),
  })
  .meta({ id: 'FolderRequestHistoryEntry' });
export type FolderRequestHistoryEntry = z.infer<typeof historyEntry>;

export const folderRequestWithHistory = z
  .object({
    ...folderRequest.shape,
    history: z.array(historyEntry).meta({
      description: 'Oldest first, at most 50; of more, the first and the newest are kept.',
    }),
  })
  .meta({ id: 'FolderRequestWithHistory' });
export type FolderRequestWithHistory = z.infer<typeof folderRequestWithHistory>;

const maxServerNameLength = 255;

const routingFields = {
  servers: z
    .array(
      z
        .string()
        .min(1)
        .max(maxServerNameLength)
        // Stored as JSON, in which control characters and unpaired surrogates would take six characters each.
        .regex(/^[^\\/\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, because('not_server_name')),
    )
    .max(maxRoutingServers)
    .meta({
      description:
        'Only targets on one of these servers are claimed. Names are case-insensitive; a short name (fs1) and a full name that starts with it (fs1.firma.example) are the same server.',
      example: ['fs1.firma.example'],
    }),
  relative: z
    .boolean()
    .optional()
    .meta({ description: 'Whether relative targets are claimed as well; default false.' }),
};

/** The targets that an agent can serve. Without it, every entry is claimable. */
export const claimRouting = z
  .strictObject(routingFields)
  .refine(({ servers, relative }) => servers.length > 0 || relative === true, because('nothing_claimable'));
export type ClaimRouting = z.infer<typeof claimRouting>;

/** What makes a claim repeatable. */
export interface ClaimTurn {
  readonly process: string;
  readonly poll: number;
}

/** The body of a claim: what the agent serves, its turn, or both. */
export const claimBody = z
  .strictObject({
    servers: routingFields.servers.optional(),
    relative: routingFields.relative,
    process: text(100).min(1).optional().meta({
      description:
        'A nonce of the process of the agent, with poll: a repeated claim returns the same request. A new process of the same id immediately gets what the last one held without a heartbeat, so work begins after the first heartbeat.',
      example: 'k3J9bW1xQm2c',
    }),
    poll: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .optional()
      .meta({
        description:
          'Grows after each request that the process gets; the same otherwise, also for the cache of the gateway.',
        example: 1,
      }),
  })
  .refine(
    ({ servers, relative, process, poll }) =>
      servers === undefined && relative === undefined
        ? process !== undefined || poll !== undefined
        : (servers ?? []).length > 0 || relative === true,
    because('nothing_claimable'),
  )
  .refine(
    ({ process, poll }) => (process === undefined) === (poll === undefined),
    because('needs_process_and_poll'),
  )
  .meta({ id: 'ClaimRouting' });

export const routingOf = ({ servers, relative }: z.infer<typeof claimBody>): ClaimRouting | undefined =>
  servers === undefined && relative === undefined
    ? undefined
    : { servers: servers ?? [], ...(relative !== undefined && { relative }) };

export const turnOf = ({ process, poll }: z.infer<typeof claimBody>): ClaimTurn | undefined =>
  process === undefined || poll === undefined ? undefined : { process, poll };

export const claimedFolderRequest = z
  .object({
    ...folderRequest.shape,
    claimToken,
    leaseExpiresAt: timestamp,
  })
  .meta({ id: 'ClaimedFolderRequest' });
export type ClaimedFolderRequest = z.infer<typeof claimedFolderRequest>;

export const folderRequestReport = z
  .discriminatedUnion('status', [
    z
      .strictObject({ status: z.literal('FULFILLED'), claimToken: claimToken.optional() })
      .meta({ id: 'FulfilledReport' }),
    z
      .strictObject({
        status: z.literal('FAILED'),
        errorMessage: wellFormed()
          .min(1)
          .meta({ description: `Truncated with an ellipsis after ${maxErrorMessageLength} characters.` }),
        // A code of a newer agent is `other`: the report matters more.
        errorCode: z
          .preprocess(
            (code) =>
              typeof code === 'string' && code.isWellFormed() && !isFailureCode(code) ? 'other' : code,
            failureCode.optional(),
          )
          .optional(),
        errorParams: failureParams.optional(),
        mayPass: z.boolean().optional().meta({
          description:
            'The cause may pass by itself, such as a full disk: the service queues the request again after 1, 5 and 30 minutes.',
        }),
        claimToken: claimToken.optional(),
      })
      .meta({ id: 'FailedReport' }),
  ])
  .meta({ id: 'FolderRequestReport' });
export type FolderRequestReport = z.infer<typeof folderRequestReport>;

export const folderRequestRelease = z
  .strictObject({
    claimToken,
    reason: text(500).min(1).meta({ description: 'Recorded in the history.' }),
  })
  .meta({ id: 'FolderRequestRelease' });
export type FolderRequestRelease = z.infer<typeof folderRequestRelease>;

export const folderRequestFree = z
  .strictObject({ reason: text(500).min(1).meta({ description: 'Recorded in the history.' }) })
  .meta({ id: 'FolderRequestFree' });

export const folderRequestCorrection = z
  .strictObject({ targetPath: requestedTargetPath })
  .meta({ id: 'FolderRequestCorrection' });

export const folderRequestHeartbeat = z.strictObject({ claimToken }).meta({ id: 'FolderRequestHeartbeat' });
export type FolderRequestHeartbeat = z.infer<typeof folderRequestHeartbeat>;

export const folderRequestLease = z.object({ leaseExpiresAt: timestamp }).meta({ id: 'FolderRequestLease' });
export type FolderRequestLease = z.infer<typeof folderRequestLease>;

export const folderRequestList = z
  .object({
    items: z.array(folderRequest),
    nextCursor: z.string().nullable().meta({ description: 'null on the last page.' }),
  })
  .meta({ id: 'FolderRequestList' });
export type FolderRequestList = z.infer<typeof folderRequestList>;

export const folderRequestStatistics = z
  .object({
    pending: z.int().min(0).meta({ description: 'Counts stop at 1,000 for each shard of the queue.' }),
    processing: z.int().min(0),
    failed: z.int().min(0),
    unserved: z.int().min(0).meta({
      description: 'Those of `pending` whose server no agent has served within the last day.',
    }),
    oldestPendingSeconds: z.int().min(0).meta({ description: '0 when no request is pending.' }),
    hours: z
      .array(
        z
          .object({
            start: timestamp,
            fulfilled: z.int().min(0),
            failed: z.int().min(0),
          })
          .meta({ id: 'FolderRequestHour' }),
      )
      .meta({ description: 'Outcomes per hour (UTC), oldest first; the last entry is the current hour.' }),
  })
  .meta({ id: 'FolderRequestStatistics' });
export type FolderRequestStatistics = z.infer<typeof folderRequestStatistics>;
