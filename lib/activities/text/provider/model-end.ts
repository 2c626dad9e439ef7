import * as z from 'zod';
import type { EventLog } from '../../../base/event-log.ts';
import type { Clock } from '../../../contract/clock.ts';
import type { Secret } from '../../../contract/secret.ts';
import { boundedFetch } from './bounded-fetch.ts';

export interface ModelSettings {
  readonly apiKey: Secret;
  readonly baseUrl: string;
  readonly model: string;
}

const dayMs = 24 * 60 * 60 * 1000;
const timeoutMs = 10_000;
/** A provider that did not respond is asked again after a minute, by whoever calls then. */
const retryMs = 60_000;
/** Someone has to choose and try another model, so the warning comes early. */
const mostDaysLeft = 60;

const rejection = z.object({ error: z.object({ code: z.string() }) });

/** `unknown`: never asked, or the response proves nothing. */
export type ModelState = 'ok' | 'wrong AI_API_KEY' | 'wrong AI_MODEL' | 'unreachable' | 'unknown';

/** What the response proves. A 404 without this code may be a server that has no such route. */
function stateIn(response: Response, body: unknown): ModelState {
  if (response.ok) return 'ok';
  if (response.status === 401) return 'wrong AI_API_KEY';
  if (response.status >= 500) return 'unreachable';
  const { data } = rejection.safeParse(body);
  return response.status === 404 && data?.error.code === 'model_not_found' ? 'wrong AI_MODEL' : 'unknown';
}

// OpenAI's field since 2026; null for a model without an end. Other servers omit it, or have no such route.
const modelResponse = z.object({ shutdown_date: z.iso.date().nullish() });

/** What the provider says of the model: when it is switched off, and whether it accepts key and name. */
export class ModelEnd {
  readonly #settings: ModelSettings;
  readonly #clock: Clock;
  #endsAt: string | null = null;
  #state: ModelState = 'unknown';
  /** When a reading began whose response is known. */
  #readAtMs = -Infinity;
  #failedAtMs = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(settings: ModelSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** The model and its last day, once it is at most 60 days away; `null` before that, and if the provider names none. */
  get near(): { model: string; endsAt: string; daysLeft: number } | null {
    if (this.#endsAt === null) return null;
    const daysLeft = Date.parse(this.#endsAt) / dayMs - Math.floor(this.#clock.now() / dayMs);
    return daysLeft > mostDaysLeft ? null : { model: this.#settings.model, endsAt: this.#endsAt, daysLeft };
  }

  /** What the last reading has shown. */
  get state(): ModelState {
    return this.#state;
  }

  /**
   * Reads the end at most once a day, or after `maxAgeMs`, and logs `ai_model_retires` if it is near. Calls during a reading
   * wait for it. Never throws: while the provider does not respond, the last known end remains, and it is asked again after
   * a minute.
   */
  refresh(log: EventLog, maxAgeMs = dayMs): Promise<void> {
    const nowMs = this.#clock.now();
    const isKnown = nowMs - this.#readAtMs < maxAgeMs || nowMs - this.#failedAtMs < retryMs;
    if (this.#reading === undefined && isKnown) return Promise.resolve();
    this.#reading ??= this.#read(log, nowMs).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(log: EventLog, nowMs: number): Promise<void> {
    const { apiKey, baseUrl, model } = this.#settings;
    try {
      const response = await boundedFetch(
        `${baseUrl.replace(/\/$/, '')}/models/${encodeURIComponent(model)}`,
        {
          headers: { authorization: `Bearer ${apiKey.reveal()}` },
          signal: AbortSignal.timeout(timeoutMs),
        },
      );
      // A proxy's page is no JSON.
      const body: unknown = await response.json().catch(() => undefined);
      const found = modelResponse.safeParse(body);
      if (response.ok && found.success) this.#endsAt = found.data.shutdown_date ?? null;
      this.#state = response.ok && !found.success ? 'unknown' : stateIn(response, body);
      if (this.#state === 'unreachable') this.#failedAtMs = nowMs;
      else this.#readAtMs = nowMs;
    } catch (error) {
      this.#state = 'unreachable';
      this.#failedAtMs = nowMs;
      log.info('ai_model_unread', { name: error instanceof Error ? error.name : typeof error });
    }
    if (this.near !== null) log.warn('ai_model_retires', { setting: 'AI_MODEL', ...this.near });
  }
}
