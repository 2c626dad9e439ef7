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
/** Someone has to choose and try another model, so the warning comes early. */
const mostDaysLeft = 60;

const rejection = z.object({ error: z.object({ code: z.string() }) });

/** What the response proves. A 404 without this code may be a server that has no such route. */
function wrongSettingIn(status: number, body: unknown): 'AI_API_KEY' | 'AI_MODEL' | null {
  if (status === 401) return 'AI_API_KEY';
  const { data } = rejection.safeParse(body);
  return status === 404 && data?.error.code === 'model_not_found' ? 'AI_MODEL' : null;
}

// OpenAI's field since 2026; null for a model without an end. Other servers omit it, or have no such route.
const modelResponse = z.object({ shutdown_date: z.iso.date().nullish() });

/** What the provider says of the model: when it is switched off, and whether it accepts key and name. */
export class ModelEnd {
  readonly #settings: ModelSettings;
  readonly #clock: Clock;
  #endsAt: string | null = null;
  #readAtMs = -Infinity;
  #wrongSetting: 'AI_API_KEY' | 'AI_MODEL' | null = null;

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

  /** The setting that the provider has last rejected. */
  get wrongSetting(): 'AI_API_KEY' | 'AI_MODEL' | null {
    return this.#wrongSetting;
  }

  /**
   * Reads the end at most once a day, or after `maxAgeMs`, and logs `ai_model_retires` if it is near. Never throws: while
   * the provider does not respond, the last known end remains.
   */
  async refresh(log: EventLog, maxAgeMs = dayMs): Promise<void> {
    const nowMs = this.#clock.now();
    if (nowMs - this.#readAtMs < maxAgeMs) return;
    this.#readAtMs = nowMs;
    const { apiKey, baseUrl, model } = this.#settings;
    try {
      const response = await boundedFetch(
        `${baseUrl.replace(/\/$/, '')}/models/${encodeURIComponent(model)}`,
        {
          headers: { authorization: `Bearer ${apiKey.reveal()}` },
          signal: AbortSignal.timeout(timeoutMs),
        },
      );
      const body: unknown = await response.json();
      const found = modelResponse.safeParse(body);
      if (response.ok && found.success) this.#endsAt = found.data.shutdown_date ?? null;
      this.#wrongSetting = wrongSettingIn(response.status, body);
    } catch (error) {
      log.info('ai_model_unread', { name: error instanceof Error ? error.name : typeof error });
    }
    if (this.near !== null) log.warn('ai_model_retires', { setting: 'AI_MODEL', ...this.near });
  }
}
