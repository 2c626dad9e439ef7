import { writeSync } from 'node:fs';
import type { Secret } from '../../lib/contract/secret.ts';

type Level = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

export type Logger = Readonly<Record<Level, (facts: object, message: string) => void>> & {
  /** False: steps are not logged, and need no description. */
  readonly logsSteps: boolean;
  /** A logger with further facts in each line. */
  with(facts: object): Logger;
};

export type Write = (text: string) => void;

export interface LogOptions {
  readonly agentId: string;
  readonly format: 'json' | 'pretty';
  readonly debug: boolean;
  /** None of these appears in a line of any origin, such as a proxy's page that repeats a header. */
  readonly secrets: readonly Secret[];
  readonly write: Write;
}

export function createLogger({ agentId, format, debug, secrets, write }: LogOptions): Logger {
  // JSON contains a secret in escaped form.
  const spellings = secrets.flatMap((secret) => [
    secret.reveal(),
    JSON.stringify(secret.reveal()).slice(1, -1),
  ]);
  // A shorter secret could be any word; removing it would garble the log and hide nothing.
  const hidden = [...new Set(spellings)].filter((spelling) => spelling.length >= 4);
  const loggerWith = (always: object): Logger => {
    const at = (level: Level) => (facts: object, message: string) => {
      if (level === 'debug' && !debug) return;
      const all = { ...always, ...facts };
      const line =
        format === 'json'
          ? `${jsonOf({ level, time: new Date(), agentId, ...all, msg: message })}\n`
          : prettyLines(level, all, message);
      write(hidden.reduce((text, spelling) => text.replaceAll(spelling, '***'), line));
    };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      fatal: at('fatal'),
      logsSteps: debug,
      with: (facts) => loggerWith({ ...always, ...facts }),
    };
  };
  return loggerWith({});
}

/**
 * Writes to a standard stream (1: output, 2: errors) before it returns, so that no line is lost however the process ends.
 * Never throws: a reader that is gone or a full disk must not end the agent.
 */
export const writeTo =
  (fd: 1 | 2): Write =>
  (text) => {
    let rest = Buffer.from(text);
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        // The pipe is full.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    }
  };

const jsonOf = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) => {
    if (each instanceof Error) return errorFacts(each);
    return typeof each === 'bigint' ? each.toString() : each;
  });

/** For people: in local time, with a line for each fact. */
function prettyLines(level: Level, facts: object, message: string): string {
  const textOf = (fact: unknown) => {
    if (!(fact instanceof Error)) return jsonOf(fact);
    const { type, message, stack } = errorFacts(fact);
    return `${type}: ${message}\n${stack}`;
  };
  const shown = Object.entries(facts).map(([name, fact]) => `    ${name}: ${textOf(fact)}\n`);
  return `[${new Date().toLocaleString('sv')}] ${level.toUpperCase()}: ${message}\n${shown.join('')}`;
}

/** The messages of causes are part of ours, and are not repeated in the stack. */
function errorFacts(error: Error) {
  const chain: Error[] = [];
  const follow = (each: unknown): void => {
    if (!(each instanceof Error) || chain.includes(each)) return;
    chain.push(each);
    follow(each.cause);
    // Of a host with several addresses: each has its own reason.
    if (each instanceof AggregateError) each.errors.forEach(follow);
  };
  follow(error);
  const isNews = (line: string) => !error.message.includes(line.replace(/^(caused by: )?\w+: /, ''));
  const stack = chain.map((each) => each.stack).join('\ncaused by: ');
  return {
    ...Object.fromEntries(Object.entries(error).filter(([, value]) => typeof value !== 'object')),
    type: error.constructor.name,
    message: error.message,
    stack: stack.split('\n').filter(isNews).join('\n'),
  };
}
