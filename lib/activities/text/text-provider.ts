import { isDeepStrictEqual } from 'node:util';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { backoffMs, systemTiming, type RetryTiming } from '../../contract/retry.ts';
import type { Secret } from '../../contract/secret.ts';
import type { EventLog } from '../../base/event-log.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type Dialect, firstDialect, simplerDialect, withFormInPrompt } from './dialect.ts';
import type { Message } from './message.ts';
import { textIn, tokensOf, type WrittenText } from './text-response.ts';
import { failureOf } from './text-provider-failure.ts';

export interface TextProviderSettings {
  readonly apiKey: Secret;
  /** OpenAI, Azure OpenAI (`…/openai/v1`) or a compatible server. */
  readonly baseUrl: string;
  readonly model: string;
  /** For all calls that one request makes: retries, repair and regeneration included. */
  readonly timeoutMs: number;
  /** `false`: the provider receives pseudonyms instead of people's names (hidden-names.ts). */
  readonly sendsNames: boolean;
}

// Strings without bounds: Azure's structured outputs do not support minLength, maxLength or pattern. text-response.ts
// checks the lengths.
const wireText = z.object({
  subject: z.string().describe('Betreff, eine Zeile'),
  content: z.string().describe('Text mit Anrede und Grußformel, Absätze durch eine Leerzeile getrennt'),
});
// Includes reasoning tokens; a letter of 300 words is about 700 tokens. With little effort, models reason for some
// hundreds; those that ignore the effort need the rest, and a lower limit would cut their texts off.
const maxOutputTokens = 8_000;
const maxAttempts = 3;

/** Without those that the client reads from OPENAI_* variables, which could replace the key. */
function ownHeaders(headers: RequestInit['headers'], apiKey: Secret): Headers {
  const own = new Headers();
  for (const [name, value] of new Headers(headers)) {
    if (/^(?:accept|content-type|user-agent|x-stainless-.*)$/.test(name)) own.set(name, value);
  }
  own.set('authorization', `Bearer ${apiKey.reveal()}`);
  return own;
}

/** An AI text provider over HTTP, called through the official client with the client's retries switched off. */
export class TextProvider {
  readonly sendsNames: boolean;
  readonly #settings: TextProviderSettings;
  readonly #timing: RetryTiming;
  readonly #client: OpenAI;
  readonly #format = zodResponseFormat(wireText, 'activity');
  /** The last dialect that worked; found once per process. */
  #dialect = firstDialect;

  constructor(settings: TextProviderSettings, timing: RetryTiming = systemTiming) {
    this.sendsNames = settings.sendsNames;
    this.#settings = settings;
    this.#timing = timing;
    this.#client = new OpenAI({
      apiKey: settings.apiKey.reveal(),
      baseURL: settings.baseUrl,
      logLevel: 'off',
      // The client would retry an exhausted quota, and has no deadline across attempts.
      maxRetries: 0,
      fetch: (url, init) =>
        boundedFetch(url, { ...init, headers: ownHeaders(init?.headers, settings.apiKey) }),
    });
  }

  /** Starts the deadline that covers all calls of one request. */
  session(log: EventLog): TextSession {
    const { timeoutMs } = this.#settings;
    const endsAtMs = this.#timing.clock.now() + timeoutMs;
    const signal = AbortSignal.timeout(timeoutMs);
    return { write: (messages) => this.#write(messages, { endsAtMs, signal, log }) };
  }

  async #write(messages: readonly Message[], { endsAtMs, signal, log }: Session): Promise<WrittenText> {
    let unusableTexts = 0;
    let dialect: Dialect | undefined;
    for (let attempt = 1; ; attempt++) {
      const remainingMs = Math.max(1, endsAtMs - this.#timing.clock.now());
      try {
        // A silent connection must not use up the whole deadline; only the last attempt may.
        const timeout = Math.ceil(attempt < maxAttempts ? remainingMs / 2 : remainingMs);
        const options = { signal, timeout };
        return await this.#call(messages, options, dialect ?? this.#dialect, log);
      } catch (error) {
        const { error: failure, retry, facts } = failureOf(error);
        log.warn('ai_call_failed', { attempt, ...facts });
        if (retry === null || signal.aborted || attempt === maxAttempts) throw failure;
        if (retry === 'repair') {
          // A model that has produced the wrong form twice produces it a third time.
          if (++unusableTexts === 2) throw failure;
          // The server may ignore the schema. The sentence in the prompt is cheaper than another repair, so it is kept.
          dialect = { ...this.#dialect, formInPrompt: true };
        }
        const waitMs = retry === 'repair' ? 0 : (retry.afterMs ?? this.#backoffMs(attempt));
        if (waitMs >= endsAtMs - this.#timing.clock.now()) throw failure;
        await this.#timing.clock.wait(waitMs, signal);
        if (signal.aborted) throw failure;
      }
    }
  }

  #backoffMs(attempt: number): number {
    return backoffMs({ failures: attempt, baseMs: 500, jitter: 'equal' }, this.#timing.random());
  }

  async #call(
    messages: readonly Message[],
    options: CallOptions,
    firstDialect: Dialect,
    log: EventLog,
  ): Promise<WrittenText> {
    for (let dialect = firstDialect; ;) {
      const prompt = [...(dialect.formInPrompt ? withFormInPrompt(messages) : messages)];
      try {
        const response = await this.#response(prompt, dialect, options);
        // Unusable texts cost as much as others.
        const tokens = tokensOf(response);
        if (tokens !== null) log.info('ai_tokens', tokens);
        const text = textIn(response);
        this.#keep(dialect, log);
        return text;
      } catch (error) {
        const simpler = simplerDialect(dialect, error);
        if (simpler === null) throw error;
        dialect = simpler;
      }
    }
  }

  // `create`, not `parse`: for an unusable text, parse throws five kinds of error and ignores three more cases (measured
  // with 7.55), so text-response.ts reads the response.
  #response(messages: Message[], { format, limit, effort }: Dialect, options: CallOptions): Promise<unknown> {
    return this.#client.chat.completions.create(
      {
        model: this.#settings.model,
        messages,
        ...(format === 'json_schema' && { response_format: this.#format }),
        ...(format === 'json_object' && { response_format: { type: format } }),
        ...(limit !== 'none' && { [limit]: maxOutputTokens }),
        ...(effort !== 'none' && { reasoning_effort: effort }),
      },
      options,
    );
  }

  #keep(dialect: Dialect, log: EventLog): void {
    if (isDeepStrictEqual(dialect, this.#dialect)) return;
    this.#dialect = dialect;
    log.info('ai_dialect_changed', { ...dialect });
  }
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

export interface TextSession {
  /**
   * Requests one text. Retries transient failures within the session's deadline, and retries once when the response has
   * no usable text.
   * @throws ServiceError `ai_provider_error` or `ai_provider_unavailable`
   */
  write(messages: readonly Message[]): Promise<WrittenText>;
}

interface Session {
  readonly endsAtMs: number;
  readonly signal: AbortSignal;
  readonly log: EventLog;
}
