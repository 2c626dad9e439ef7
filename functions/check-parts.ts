import * as z from 'zod';
import type { EventLog } from '../lib/base/event-log.ts';
import { orLater } from '../lib/base/or-later.ts';
import { ServiceError, type ProblemCode } from '../lib/base/service-error.ts';
import type { ModelState } from '../lib/activities/text/provider/model-end.ts';
import type { User } from '../lib/callers/caller.ts';
import { isLibraryError } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { problemCode } from '../lib/http/request-faults.ts';
import type { Services } from '../lib/services.ts';
import type { Scheduled } from '../lib/storage/timer-runs.ts';
import { kindOfDisk } from '../lib/uploads/temporary-file.ts';
import { timedFunctions } from './timed-functions.ts';

const partNames = ['library', 'uploadDisk', 'wordTemplates', 'aiModel'] as const;
type PartName = (typeof partNames)[number];

const setting = z.string().optional().meta({
  description:
    'The setting that is wrong, where the response says which. A library that is not found may also be hidden from the caller.',
});

const part = z
  .object({
    part: z.enum(partNames),
    state: z.enum(['ok', 'failing', 'unknown', 'off']).meta({
      description:
        'unknown: it was not possible to find out, for instance because the caller has no access to the library. off: its settings are absent.',
    }),
    code: problemCode.optional().meta({ description: 'Why, unless ok' }),
    setting,
    uses: z.enum(['disk', 'memory']).optional().meta({
      description: 'Of the upload disk: what it is. In memory, UPLOAD_DISK_BYTES is memory of the instance.',
    }),
    lastFailure: z
      .object({ at: z.iso.datetime(), code: problemCode, setting })
      .optional()
      .meta({ description: 'The last call of this instance that failed for this part, within a day.' }),
  })
  .meta({ id: 'PartHealth' });

const timer = z
  .object({
    timer: z.string().meta({ description: 'The name of the function', example: 'back-up-tables' }),
    state: z.enum(['ok', 'failing', 'overdue', 'unknown']).meta({
      description:
        'failing: its last run failed. overdue: its last success is longer ago than its schedule allows. unknown: it has not run yet, or it was not possible to find out.',
    }),
    ranAt: z.iso
      .datetime()
      .optional()
      .meta({ description: 'The end of its last run, of any instance; absent if it has not run yet.' }),
    succeededAt: z.iso
      .datetime()
      .optional()
      .meta({ description: 'The end of its last run without a failure.' }),
  })
  .meta({ id: 'TimerHealth' });

type Finding = Pick<z.output<typeof part>, 'state' | 'code' | 'setting' | 'uses'>;

/** The failures of calls that are not the fault of their callers. */
const failuresOf: Readonly<Record<PartName, readonly ProblemCode[]>> = {
  library: ['library_error', 'library_throttled', 'library_full', 'consent_missing'],
  // A full one has the code of the tables, and an event of its own.
  uploadDisk: [],
  wordTemplates: ['word_template_not_found', 'word_template_invalid'],
  aiModel: ['ai_provider_error', 'ai_provider_unavailable'],
};

/** An open overview asks every five minutes; several of them share what the provider said. */
const modelMaxAgeMs = 60_000;

export function checkParts(services: Services): Operation {
  const checks: Readonly<Record<PartName, (user: User, log: EventLog) => Promise<Finding>>> = {
    library: (user, log) => libraryFinding(services, user, log),
    uploadDisk: (user, log) => diskFinding(services, user, log),
    wordTemplates: async (_user, log) => {
      await (await services.activities()).checkTemplates(log);
      return { state: 'ok' };
    },
    aiModel: (_user, log) => modelFinding(services, log),
  };
  const timers = timedFunctions(services);
  return operation({
    id: 'check-parts',
    method: 'GET',
    route: 'v1/health/parts',
    tag: 'operations',
    summary: 'Check the parts that users depend on',
    description:
      'Asks what costs little: the library with the rights of the caller (one or two requests), the provider whether it accepts key and model, the storage for the Word templates, the local disk of this instance for the space of uploads, and when the timers ran last. Always 200.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    responses: {
      200: {
        description: 'Each part, and each timer',
        schema: z
          .object({
            parts: z.array(part),
            timers: z.array(timer).meta({ description: 'What the host calls on a schedule' }),
          })
          .meta({ id: 'PartsHealth' }),
      },
    },
    async handle({ caller, log }) {
      const parts = await Promise.all(
        partNames.map(async (name) => {
          const finding = await checks[name](caller, log).catch(findingOf);
          const failure = services.failures.last(failuresOf[name]);
          return {
            part: name,
            ...finding,
            ...(failure && {
              lastFailure: {
                at: new Date(failure.atMs).toISOString(),
                code: failure.code,
                ...(failure.setting !== undefined && { setting: failure.setting }),
              },
            }),
          };
        }),
      );
      return { status: 200, jsonBody: { parts, timers: await timerFindings(services, timers, log) } };
    },
  });
}

async function libraryFinding(services: Services, user: User, log: EventLog): Promise<Finding> {
  const { library } = services.documents().of({ user, log });
  try {
    await library.drive();
    return { state: 'ok' };
  } catch (error) {
    if (!isLibraryError(error, 'notFound', 'moved')) throw error;
    const isSiteFound = await library.site().then(
      () => true,
      (failure: unknown) => {
        if (isLibraryError(failure, 'notFound', 'moved')) return false;
        throw failure;
      },
    );
    return {
      state: 'failing',
      code: 'library_error',
      setting: isSiteFound ? 'DOCLIB_DRIVE_ID' : 'DOCLIB_SITE_ID',
    };
  }
}

async function diskFinding(services: Services, user: User, log: EventLog): Promise<Finding> {
  const { disk } = services.documents().of({ user, log });
  try {
    return { state: 'ok', uses: await kindOfDisk(disk) };
  } catch {
    return { state: 'failing', code: 'storage_unavailable', setting: 'UPLOAD_DISK_BYTES' };
  }
}

async function modelFinding(services: Services, log: EventLog): Promise<Finding> {
  const model = services.modelEnd();
  if (model === null) return { state: 'off', code: 'not_configured' };
  await model.refresh(log, modelMaxAgeMs);
  return findingOfModel[model.state];
}

const findingOfModel: Readonly<Record<ModelState, Finding>> = {
  ok: { state: 'ok' },
  'wrong AI_API_KEY': { state: 'failing', code: 'ai_provider_error', setting: 'AI_API_KEY' },
  'wrong AI_MODEL': { state: 'failing', code: 'ai_provider_error', setting: 'AI_MODEL' },
  unreachable: { state: 'failing', code: 'ai_provider_unavailable' },
  unknown: { state: 'unknown' },
};

async function timerFindings(
  { timerRuns }: Services,
  timers: readonly Scheduled[],
  log: EventLog,
): Promise<readonly z.output<typeof timer>[]> {
  const runs = await orLater(log, 'timer_runs', () => timerRuns.of(timers));
  if (!runs) return timers.map(({ id }) => ({ timer: id, state: 'unknown' }));
  return runs.map(({ id, state, ranAt, succeededAt }) => ({
    timer: id,
    state,
    ...(ranAt && { ranAt: ranAt.toISOString() }),
    ...(succeededAt && { succeededAt: succeededAt.toISOString() }),
  }));
}

/** What concerns the caller alone says nothing about the part. */
const ofCaller: ReadonlySet<ProblemCode> = new Set([
  'library_access_denied',
  'interaction_required',
  'sign_in_again',
]);

/** @throws unless it is an error with a code */
function findingOf(error: unknown): Finding {
  if (!(error instanceof ServiceError)) throw error;
  const { code } = error;
  const state = code === 'not_configured' ? 'off' : ofCaller.has(code) ? 'unknown' : 'failing';
  return { state, code };
}
