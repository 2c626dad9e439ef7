import { type DestinationStream, type Logger, pino } from 'pino';
import { build as pinoPretty } from 'pino-pretty';
import type { Secret } from '../lib/contract/secret.ts';

export type { Logger } from 'pino';

export interface LogOptions {
  readonly agentId: string;
  readonly format: 'json' | 'pretty';
  readonly debug: boolean;
  /** None of these appears in a line of any origin, such as a proxy's page that repeats a header. */
  readonly secrets: readonly Secret[];
  readonly destination: DestinationStream;
}

/** pino writes the messages of all causes behind the message and into the stack; ours repeat those of their causes. */
function errorFacts(error: Error): object {
  const facts = pino.stdSerializers.err(error);
  const isNews = (line: string) => !error.message.includes(line.replace(/^(caused by: )?\w+: /, ''));
  return { ...facts, message: error.message, stack: facts.stack.split('\n').filter(isNews).join('\n') };
}

export function createLogger({ agentId, format, debug, secrets, destination }: LogOptions): Logger {
  // A line is JSON at this point, so it contains a secret in escaped form.
  const spellings = secrets.flatMap((secret) => [
    secret.reveal(),
    JSON.stringify(secret.reveal()).slice(1, -1),
  ]);
  // A shorter secret could be any word; removing it would garble the log and hide nothing.
  const hidden = [...new Set(spellings)].filter((spelling) => spelling.length >= 4);
  const options = {
    level: debug ? 'debug' : 'info',
    base: { agentId },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: errorFacts },
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: {
      streamWrite: (line: string) =>
        hidden.reduce((text, spelling) => text.replaceAll(spelling, '***'), line),
    },
  };
  return pino(
    options,
    format === 'json'
      ? destination
      : pinoPretty({
          destination,
          translateTime: 'SYS:yyyy-mm-dd HH:MM:ss.l',
          ignore: 'agentId',
          colorize: false,
        }),
  );
}
