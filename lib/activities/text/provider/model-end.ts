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

// OpenAI's field since 2026; null for a model without an end. Other servers omit it, or have no such route.
const modelResponse = z.object({ shutdown_date: z.iso.date().nullish() });

/** When the provider switches the model off, as far as it says so. */
export class ModelEnd {
  readonly #settings: ModelSettings;
  readonly #clock: Clock;
  #endsAt: string | null = null;
  #readAtMs = -Infinity;

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

  /**
   * Reads the end at most once a day and logs `ai_model_retires` if it is near. Never throws: while the provider does not
   * respond, the last known end remains.
   */
  async refresh(log: EventLog): Promise<void> {
    const nowMs = this.#clock.now();
    if (nowMs - this.#readAtMs < dayMs) return;
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
      const body = modelResponse.safeParse(await response.json());
      if (response.ok && body.success) this.#endsAt = body.data.shutdown_date ?? null;
    } catch (error) {
      log.info('ai_model_unread', { name: error instanceof Error ? error.name : typeof error });
    }
    if (this.near !== null) log.warn('ai_model_retires', { setting: 'AI_MODEL', ...this.near });
  }
}
