import type { Rule } from './rule.ts';

/** What a suite sends, with the ids of the target replaced by their kinds, in the order of the first time. */
export class Plan {
  readonly #counts = new Map<string, number>();

  readonly add = (method: string, url: string): void => {
    const line = `${method} ${kindOf(url)}`;
    this.#counts.set(line, (this.#counts.get(line) ?? 0) + 1);
  };

  get text(): string {
    return [...this.#counts].map(([line, count]) => `${String(count).padStart(4)} × ${line}`).join('\n');
  }
}

function kindOf(url: string): string {
  const { pathname, search } = new URL(url);
  if (pathname.includes('/uploadSession')) return '<upload URL>';
  if (pathname.includes('/_layouts/')) return '<download URL>';
  const path = decodeURIComponent(pathname)
    .replace(/\/drives\/[^/]+/, '/drives/<drive>')
    .replace(/\/items\/[^/:]+/, '/items/<item below the folder>')
    .replace(/:\/.*:/, ':/<name>:')
    .replace(/\/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\//, '/<tenant>/');
  return `${path}${search.startsWith('?$skiptoken') || search.includes('skiptoken') ? '?<next page>' : decodeURIComponent(search)}`;
}

/** What rules send that list their requests. */
export const planOf = (rules: readonly Rule<never>[]): string =>
  rules
    .map(({ id, expected, requests = [] }) =>
      [`${id} ${expected}`, ...requests.map((line) => `  ${line}`)].join('\n'),
    )
    .join('\n');
