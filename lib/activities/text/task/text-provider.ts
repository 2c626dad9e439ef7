import type { EventLog } from '../../../base/event-log.ts';

/** A message of a conversation with a language model. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface WrittenText {
  readonly subject: string;
  readonly content: string;
}

/** The calls of one request, within one deadline. */
export interface TextSession {
  /** @throws ServiceError `ai_provider_error` or `ai_provider_unavailable` */
  write(messages: readonly Message[]): Promise<WrittenText>;
}

/** Whoever writes texts: a server, or a stand-in. What a request looks like there is its own matter. */
export interface TextProvider {
  /** `false`: the provider receives pseudonyms instead of people's names (hidden-names.ts). */
  readonly sendsNames: boolean;
  /** Starts the deadline that covers all calls of one request. */
  session(log: EventLog): TextSession;
}
