import { Cron } from 'croner';

export interface Timer {
  stop(): void;
}

/**
 * Calls `run` by an NCRONTAB expression, in UTC. Runs never overlap: the next occurrence is computed when a run ends.
 *
 * `%NAME%` refers to an app setting. Both day fields must match, as in NCRONTAB.
 *
 * @throws Error that names the function if the expression is invalid
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
