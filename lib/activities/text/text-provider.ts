import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { backoffMs, systemTiming, type RetryTiming } from '../../contract/retry.ts';
import type { Secret } from '../../contract/secret.ts';
import type { EventLog } from '../../base/event-log.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { Message } from './message.ts';
import { chatText, responsesText, type WrittenText } from './text-answer.ts';
import { failureOf } from './text-provider-failure.ts';
import { firstWay, simplerWay, type WayOfAsking, withFormInWords } from './way-of-asking.ts';

export interface TextProviderSettings {
  readonly apiKey: Secret;
  /** OpenAI, Azure OpenAI (`…/openai/v1`) or a compatible server. */
  readonly baseUrl: string;
  readonly model: string;
  /** `chat` is what every compatible server speaks; `responses` is OpenAI's and Azure's newer wire. */
  readonly api: 'chat' | 'responses';
  /** For everything one request asks of the provider: retries, repair and regeneration included. */
  readonly timeoutMs: number;
  /** `false`: names of people stay here, and stand-ins leave (hidden-names.ts). */
  readonly sendsNames: boolean;
}

// Bare strings only: Azure's structured outputs know no minLength, maxLength or pattern. text-answer.ts bounds them.
const wireText = z.object({
  subject: z.string().describe('Betreff, eine Zeile'),
  content: z.string().describe('Text mit Anrede und Grußformel, Absätze durch eine Leerzeile getrennt'),
});
// Counts reasoning as well; a letter of 300 words is about 700 tokens.
const maxOutputTokens = 8_000;
const maxAttempts = 3;

/** One AI text provider over HTTP, by the official client with its own retries switched off. */
export class TextProvider {
  readonly sendsNames: boolean;
  readonly #settings: TextProviderSettings;
  readonly #timing: RetryTiming;
  readonly #client: OpenAI;
  readonly #chatFormat = zodResponseFormat(wireText, 'activity');
  readonly #responsesFormat = zodTextFormat(wireText, 'activity');
  /** The way in which the server has answered so far; found once per process, on the chat wire. */
  #way = firstWay;

  constructor(settings: TextProviderSettings, timing: RetryTiming = systemTiming) {
    this.sendsNames = settings.sendsNames;
    this.#settings = settings;
    this.#timing = timing;
    this.#client = new OpenAI({
      apiKey: settings.apiKey.reveal(),
      baseURL: settings.baseUrl,
      // Left out, the client takes these from OPENAI_* variables of whoever started the process.
      organization: null,
      project: null,
      logLevel: 'off',
      // The client would retry a used-up quota and knows no deadline over all attempts.
      maxRetries: 0,
      fetch: boundedFetch,
    });
  }

  /** One deadline for all that a request asks of the provider. */
  session(log: EventLog): TextSession {
    const { timeoutMs } = this.#settings;
    const endsAtMs = this.#timing.clock.now() + timeoutMs;
    const signal = AbortSignal.timeout(timeoutMs);
    return { write: (messages) => this.#write(messages, { endsAtMs, signal, log }) };
  }

  async #write(messages: readonly Message[], { endsAtMs, signal, log }: Session): Promise<WrittenText> {
    let unusableAnswers = 0;
    let way: WayOfAsking | undefined;
    for (let attempt = 1; ; attempt++) {
      const remainingMs = Math.max(1, endsAtMs - this.#timing.clock.now());
      try {
        // A silent connection must not take the whole deadline; only the last attempt may.
        const timeout = Math.ceil(attempt < maxAttempts ? remainingMs / 2 : remainingMs);
        const options = { signal, timeout };
        return this.#settings.api === 'chat'
          ? await this.#askByChat(messages, options, way ?? this.#way, log)
          : await this.#askByResponses(messages, options);
      } catch (error) {
        const { error: refusal, retry, facts } = failureOf(error);
        log.warn('ai_call_failed', { attempt, ...facts });
        if (retry === null || signal.aborted || attempt === maxAttempts) throw refusal;
        // A model that answers in the wrong form twice will do so a third time.
        if (retry === 'repair') {
          if (++unusableAnswers === 2) throw refusal;
          // Perhaps the server ignores the schema. Kept when it helps: it costs a sentence, the next repair a call.
          way = { ...this.#way, inWords: true };
        }
        const waitMs = retry === 'repair' ? 0 : (retry.afterMs ?? this.#backoffMs(attempt));
        if (waitMs >= endsAtMs - this.#timing.clock.now()) throw refusal;
        await this.#timing.clock.wait(waitMs, signal);
        if (signal.aborted) throw refusal;
      }
    }
  }

  #backoffMs(attempt: number): number {
    return backoffMs({ failures: attempt, baseMs: 500, jitter: 'equal' }, this.#timing.random());
  }

  // `create`, not `parse`: parse throws five kinds of error for an unusable answer and passes over three others
  // (measured with 7.55), so the answer is read here.
  async #askByChat(
    messages: readonly Message[],
    options: CallOptions,
    startingWay: WayOfAsking,
    log: EventLog,
  ): Promise<WrittenText> {
    for (let way = startingWay; ;) {
      try {
        const completion: unknown = await this.#client.chat.completions.create(
          {
            model: this.#settings.model,
            messages: [...(way.inWords ? withFormInWords(messages) : messages)],
            ...(way.format === 'json_schema' && { response_format: this.#chatFormat }),
            ...(way.format === 'json_object' && { response_format: { type: 'json_object' as const } }),
            ...(way.limit !== 'none' && { [way.limit]: maxOutputTokens }),
          },
          options,
        );
        const text = chatText(completion);
        this.#keep(way, log);
        return text;
      } catch (error) {
        const simpler = simplerWay(way, error);
        if (simpler === null) throw error;
        way = simpler;
      }
    }
  }

  #keep(way: WayOfAsking, log: EventLog): void {
    const { limit, format, inWords } = this.#way;
    if (way.limit === limit && way.format === format && way.inWords === inWords) return;
    this.#way = way;
    log.info('ai_way_of_asking', { ...way });
  }

  async #askByResponses(messages: readonly Message[], options: CallOptions): Promise<WrittenText> {
    const response: unknown = await this.#client.responses.create(
      {
        model: this.#settings.model,
        input: [...messages],
        text: { format: this.#responsesFormat },
        max_output_tokens: maxOutputTokens,
        // Kept for 30 days unless refused, and the names of contacts are in it.
        store: false,
      },
      options,
    );
    return responsesText(response);
  }
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

export interface TextSession {
  /**
   * Asks for one text. Retries what may pass, within the session's deadline; asks once more when the answer has no
   * usable form.
   * @throws ServiceError `ai_provider_error` or `ai_provider_unavailable`
   */
  write(messages: readonly Message[]): Promise<WrittenText>;
}

interface Session {
  readonly endsAtMs: number;
  readonly signal: AbortSignal;
  readonly log: EventLog;
}
