import type { LogEntry } from './messages.ts';

/** host.json's `logging.logLevel`: maps a category, or a prefix of one, to the lowest level that the host keeps. */
export type LogLevels = Readonly<Record<string, string>>;

const levels = ['trace', 'debug', 'information', 'warning', 'error', 'critical', 'none'];

/**
 * Returns whether the host keeps a line, by the rules of the WebJobs SDK's filter for Application Insights
 * (LoggerRuleSelector): of the rules whose category is a prefix of the line's, the longest applies; without one `default`
 * applies, which the host sets to information. `*` is an ordinary character there, unlike in .NET's own loggers.
 */
export function logFilter(rules: LogLevels = {}): (entry: LogEntry) => boolean {
  // The rules name every function, and a request has five lines.
  const lowestLevels = new Map<string, number>();
  return (entry) => {
    const category = categoryOf(entry);
    const lowest = lowestLevels.get(category) ?? lowestLevel(category, rules);
    lowestLevels.set(category, lowest);
    return levels.indexOf(entry.level.toLowerCase()) >= lowest;
  };
}

/** An index of `levels`. */
function lowestLevel(category: string, rules: LogLevels): number {
  const lowerCase = category.toLowerCase();
  const [rule] = Object.entries(rules)
    .filter(([name]) => name !== 'default' && lowerCase.startsWith(name.toLowerCase()))
    .toSorted(([one], [other]) => other.length - one.length);
  const level = rule?.[1] ?? rules['default'] ?? 'information';
  return levels.indexOf(level.toLowerCase());
}

function categoryOf({ category, functionName }: LogEntry): string {
  switch (category) {
    case 'user':
      return `Function.${functionName}.User`;
    case 'console':
      return 'Host.Function.Console';
    case 'results':
      return 'Host.Results';
    case 'system':
      return functionName === undefined ? 'Host.General' : `Function.${functionName}`;
    default:
      return category satisfies never;
  }
}
