import OpenAI from 'openai';
import { APIError } from 'openai/error';
import { systemClock } from '../../../contract/clock.ts';
import { backoffMs } from '../../../contract/retry.ts';
import type { Secret } from '../../../contract/secret.ts';
import type { EventLog } from '../../../base/event-log.ts';
import type { ServiceError } from '../../../base/service-error.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { dialectsWith, mayBeDialect, namesParameter } from './dialects.ts';
import type { Message, TextProvider, TextSession, WrittenText } from '../task/text-provider.ts';
import { textIn, tokensOf } from './text-response.ts';
import { failureOf, rejectionIn } from './text-provider-failure.ts';

export interface OpenAiSettings {
  readonly apiKey: Secret;
  /** OpenAI, Azure OpenAI (`…/openai/v1`) or a compatible server. */
  readonly baseUrl: string;
  readonly model: string;
  /** For all calls that one request makes: retries, repair and regeneration included. */
  readonly timeoutMs: number;
  /**
   * Includes reasoning; a letter of 300 words is about 700 tokens. With little effort, models reason for some hundreds;
   * those that ignore the effort need more, and a low limit cuts their texts off.
   */
  readonly maxOutputTokens: number;
  /** As in `TextProvider`. */
  readonly sendsNames: boolean;
}

const maxAttempts = 3;

interface Calls {
  readonly endsAtMs: number;
  readonly signal: AbortSignal;
  readonly log: EventLog;
}

/** Without those that the client reads from OPENAI_* variables, which could replace the key. */
function ownHeaders(headers: RequestInit['headers'], apiKey: Secret): Headers {
  const own = new Headers();
  for (const [name, value] of new Headers(headers)) {
    if (/^(?:accept|content-type|user-agent|x-stainless-.*)$/.test(name)) own.set(name, value);
  }
  own.set('authorization', `Bearer ${apiKey.reveal()}`);
  return own;
}

const systemTiming = { clock: systemClock, random: Math.random };

/**
 * OpenAI, or a server that offers its chat completions, called through the official client with the client's retries
 * switched off.
 */
export class OpenAiTextProvider implements TextProvider {
  readonly sendsNames: boolean;
  readonly #settings: OpenAiSettings;
  readonly #timing: typeof systemTiming;
  readonly #client: OpenAI;
  readonly #dialects: ReturnType<typeof dialectsWith>;
  /** The index of the first dialect of which the server has not rejected a parameter; found once per process. */
  #dialect = 0;

  constructor(settings: OpenAiSettings, timing = systemTiming) {
    this.sendsNames = settings.sendsNames;
    this.#settings = settings;
    this.#timing = timing;
    this.#dialects = dialectsWith(settings.maxOutputTokens);
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

  session(log: EventLog): TextSession {
    const { timeoutMs } = this.#settings;
    const endsAtMs = this.#timing.clock.now() + timeoutMs;
    const signal = AbortSignal.timeout(timeoutMs);
    return { write: (messages) => this.#write(messages, { endsAtMs, signal, log }) };
  }

  /**
   * Requests one text. Retries transient failures within the session's deadline, and retries once when the response has
   * no usable text.
   * @throws ServiceError `ai_provider_error` or `ai_provider_unavailable`
   */
  async #write(messages: readonly Message[], { endsAtMs, signal, log }: Calls): Promise<WrittenText> {
    let unusableTexts = 0;
    const serverErrors: ServiceError[] = [];
    for (let attempt = 1; ; attempt++) {
      const remainingMs = Math.max(1, endsAtMs - this.#timing.clock.now());
      // vLLM rejects some schemas with 500 (vllm-project/vllm#57725): after nothing else, the last attempt is without parameters.
      const isBare = attempt === maxAttempts && serverErrors.length === attempt - 1;
      try {
        // A silent connection must not use up the whole deadline; only the last attempt may.
        const timeout = Math.ceil(attempt < maxAttempts ? remainingMs / 2 : remainingMs);
        return await this.#call(
          messages,
          { signal, timeout },
          log,
          isBare ? this.#dialects.length - 1 : this.#dialect,
        );
      } catch (error) {
        const { error: failure, retry, facts } = failureOf(error, this.#sent(messages));
        log.warn('ai_call_failed', { attempt, ...facts });
        // What a server says of a request without parameters may be about those that are missing.
        if (isBare) throw serverErrors[0]!;
        if (error instanceof APIError && error.status === 500) serverErrors.push(failure);
        if (retry === 'never' || signal.aborted || attempt === maxAttempts) throw failure;
        // A model that has produced the wrong form twice produces it a third time.
        if (retry === 'now') {
          unusableTexts += 1;
          if (unusableTexts === 2) {
            throw failure;
          }
        }
        const { retryAfterSeconds } = failure.facts;
        const backoff = backoffMs(attempt, 500, this.#timing.random());
        const delayMs = retryAfterSeconds === undefined ? backoff : retryAfterSeconds * 1000;
        const waitMs = retry === 'now' ? 0 : delayMs;
        if (waitMs >= endsAtMs - this.#timing.clock.now()) throw failure;
        await this.#timing.clock.wait(waitMs, signal);
        if (signal.aborted) throw failure;
      }
    }
  }

  async #call(
    messages: readonly Message[],
    options: { signal: AbortSignal; timeout: number },
    log: EventLog,
    first: number,
  ): Promise<WrittenText> {
    let known = this.#dialect;
    for (let index = first; ; index++) {
      try {
        // `create`, not `parse`: for an unusable text, parse throws five kinds of error and ignores three more cases
        // (measured with 7.55), so text-response.ts reads the response.
        const response: unknown = await this.#client.chat.completions.create(
          // Some gateways stream unless they are told not to (decolua/9router#4122, open-webui/computer#193).
          { model: this.#settings.model, messages: [...messages], stream: false, ...this.#dialects[index] },
          options,
        );
        const rejection = rejectionIn(response);
        if (rejection) throw rejection;
        if (known > this.#dialect) {
          log.info('ai_dialect_changed', { dialect: known + 1 });
          this.#dialect = known;
        }
        // Unusable texts cost as much as others.
        const tokens = tokensOf(response);
        if (tokens !== null) log.info('ai_tokens', tokens);
        return textIn(response, this.#settings.maxOutputTokens);
      } catch (error) {
        if (index + 1 === this.#dialects.length || !mayBeDialect(error)) throw error;
        if (known === index && namesParameter(error)) known += 1;
        const { facts } = failureOf(error, this.#sent(messages));
        log.info('ai_dialect_rejected', { dialect: index + 1, ...facts });
      }
    }
  }

  /** What the log must not repeat. The system message has our own rules and nobody's data. */
  #sent(messages: readonly Message[]): string[] {
    const texts = messages.filter(({ role }) => role !== 'system').map(({ content }) => content);
    return [...texts, this.#settings.apiKey.reveal()];
  }
}
