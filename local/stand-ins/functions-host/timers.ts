import { Cron } from 'croner';

export interface Timer {
  stop(): void;
}

/**
 * Runs `run` by an NCRONTAB expression, in UTC, never twice at once: the next occurrence is looked for when a run ends.
 *
 * `%NAME%` is taken from the app settings. Both day fields have to match, as in NCRONTAB.
 *
 * @throws Error naming the function when the expression is not one
 */
export function startTimer(
  functionName: string,
  schedule: string,
  settings: NodeJS.ProcessEnv,
  run: () => Promise<void>,
): Timer {
  const expression = schedule.replace(/^%(.+)%$/, (_, name: string) => {
    const value = settings[name];
    if (value === undefined) throw new Error(`Timer ${functionName}: app setting ${name} is missing`);
    return value;
  });
  const fields = expression.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6) {
    throw new Error(`Timer ${functionName}: "${expression}" is not an NCRONTAB expression of 5 or 6 fields`);
  }
  let cron: Cron;
  try {
    cron = new Cron(expression, { timezone: 'UTC', domAndDow: true, protect: true, unref: true }, run);
  } catch (cause) {
    throw new Error(`Timer ${functionName}: "${expression}" is not an NCRONTAB expression`, { cause });
  }
  return { stop: () => cron.stop() };
}
