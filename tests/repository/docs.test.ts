import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { problemCodes, statusOf } from '../../lib/base/service-error.ts';
import { describedOperations } from '../../local/release/generated.ts';

const top = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(top, path), 'utf8');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: top,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(top, path)));
const texts = tracked.filter(
  (path) =>
    /\.(tsx?|md|json|yml|bicep|bicepparam|sh|ps1|xml)$|^\.ci\//.test(path) && path !== 'package-lock.json',
);
const pages = tracked.filter((path) => path.endsWith('.md'));

/** GitHub's algorithm: lower case, without punctuation, hyphens for spaces. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const prose = (text: string): string => text.replaceAll(/^(`{3,})[^]*?^\1$/gm, '');
const headingsOf = (text: string): string[] =>
  [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);

/** Joins the lines of each comment, so that a citation can contain a line break. */
const joined = (text: string): string => text.replaceAll(/\n *(?:\*|\/\/|#) /g, ' ');

function brokenLinksOf(page: string, text: string): string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => {
      if (/^https?:/.test(target)) return false;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : posix.join(posix.dirname(page), path);
      if (file.startsWith('..') || !existsSync(join(top, file))) return true;
      if (anchor === undefined) return false;
      return (
        statSync(join(top, file)).isDirectory() || !headingsOf(read(file)).map(anchorOf).includes(anchor)
      );
    });
}

function brokenCitationsOf(text: string): string[] {
  return [...joined(text).matchAll(/\b(docs\/[\w/.-]*\.md)(?:, "([^"]+)")?/g)]
    .filter(([, page = '', heading]) => {
      if (!existsSync(join(top, page))) return true;
      return heading !== undefined && !headingsOf(read(page)).includes(heading);
    })
    .map(([citation]) => citation);
}

const rules = new Set(
  ['docs/drive-rules.md', 'docs/sign-in-rules.md'].flatMap((page) =>
    headingsOf(read(page)).map((heading) => heading.split(' ')[0]),
  ),
);
const citesRules = /^(local\/stand-ins\/(drive|identity-provider)|tests\/service\/(drive|identity))\//;
const unknownRulesOf = (path: string, text: string): string[] =>
  [...text.matchAll(citesRules.test(path) ? /(?<![%\w.+-])([AB]\d{1,2})\b/g : /\brules? ([AB]\d{1,2})\b/g)]
    .map(([, rule = '']) => rule)
    .filter((rule) => !rules.has(rule));

describe('citations in documentation and code', () => {
  test('every link of a page resolves inside the repository', () => {
    expect(pages.length).toBeGreaterThan(30);
    const broken = pages.flatMap((page) => brokenLinksOf(page, read(page)).map((target) => [page, target]));
    expect(broken).toEqual([]);
    expect(
      brokenLinksOf('docs/README.md', '[a](nowhere.md) [b](../../outside.md) [c](glossary.md#no-such)'),
    ).toEqual(['nowhere.md', '../../outside.md', 'glossary.md#no-such']);
  });

  test('every citation of a page and heading resolves', () => {
    const broken = texts.flatMap((path) => brokenCitationsOf(read(path)).map((cited) => [path, cited]));
    expect(broken.filter(([path]) => path !== 'tests/repository/docs.test.ts')).toEqual([]);
    expect(brokenCitationsOf('// docs/http-contract.md, "Target\n// path"')).toEqual([]);
    expect(brokenCitationsOf('// docs/http-contract.md, "Tarot path"')).toHaveLength(1);
    expect(brokenCitationsOf('// docs/contract-of-http.md')).toHaveLength(1);
  });

  test('every cited rule exists', () => {
    const unknown = texts.flatMap((path) => unknownRulesOf(path, read(path)).map((rule) => [path, rule]));
    expect(unknown).toEqual([]);
    expect(rules.size).toBeGreaterThan(14);
    expect(unknownRulesOf('local/stand-ins/drive/x.ts', '// so it is (A7, A99)')).toEqual(['A99']);
  });
});

describe('the HTTP contract', () => {
  const contract = read('docs/http-contract.md');

  test('has every route and no other', () => {
    const named = [...contract.matchAll(/^(?:\| )?`(GET|PUT|POST|PATCH|DELETE) (\/api\/v1\/[^?`]*)/gm)];
    const routes = named.map(([, method, route]) => `${method} ${route}`);
    expect(
      routes.toSorted(),
      'docs/http-contract.md describes each route in a table row or a separate line',
    ).toEqual(
      describedOperations()
        .map(({ method, route }) => `${method} /api/${route}`)
        .toSorted(),
    );
  });

  test('has every code with its status, and no other', () => {
    const rows = [...contract.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)];
    const listed = rows.map(([, status, code]) => `${code} ${status}`);
    expect(listed.toSorted(), 'docs/http-contract.md, "Codes", has a row for each code').toEqual(
      problemCodes.map((code) => `${code} ${statusOf(code)}`).toSorted(),
    );
  });
});

describe('the decisions', () => {
  const records = readdirSync(join(top, 'docs/decisions')).filter((name) => name !== 'README.md');

  test.each(records)('%s has its parts', (name) => {
    const text = read(`docs/decisions/${name}`);
    const parts =
      /^# (.+)\n\n(\d{4}-\d{2}-\d{2}), (?:in force|replaced by \[\d{4}\].*)\.\n\n\*\*Decision\.\*\* [^]+\*\*Reasons and measurements\.\*\* [^]+\*\*Revisit when\*\* /.exec(
        text,
      );
    expect(parts, 'title, date and state, decision, reasons, and when to revisit it').not.toBeNull();
    const [, title, date] = parts!;
    expect(read('docs/decisions/README.md')).toContain(
      `| [${name.slice(0, 4)}](${name}) | ${title} | ${date} |`,
    );
  });

  test('have unique numbers', () => {
    expect(new Set(records.map((name) => name.slice(0, 4))).size).toBe(records.length);
  });
});

describe('the glossary', () => {
  const [, table = ''] = read('docs/glossary.md').split('## Retired words');
  const listed = (cell = ''): string[] => cell.split(', ').filter((phrase) => phrase.trim() !== '');
  const rows = [...table.matchAll(/^\| (?!retired|---)(.+?) \| .+? \| (.*?) ?\|$/gm)];
  const retired = rows.map(([, words, phrases]) => ({ words: listed(words), phrases: listed(phrases) }));
  const pattern = (phrase: string): RegExp =>
    new RegExp(`(?<![\\w-])${RegExp.escape(phrase).replaceAll(String.raw`\x20`, '\\s+')}(?!\\w)`, 'gi');

  const usesOf = (text: string, rowsOf = retired): string[] =>
    rowsOf.flatMap(({ words, phrases }) => {
      const others = phrases.reduce((rest, phrase) => rest.replaceAll(pattern(phrase), ''), joined(text));
      return words.filter((word) => pattern(word).test(others));
    });

  test('no retired word is used', () => {
    expect(retired.flatMap(({ words }) => words).length).toBeGreaterThan(8);
    const uses = texts
      .filter((path) => path !== 'docs/glossary.md' && path !== 'tests/repository/docs.test.ts')
      .flatMap((path) => usesOf(`${path}\n${read(path)}`).map((word) => [path, word]));
    expect(uses).toEqual([]);
    expect(usesOf('// see contract.md, the claim\n// desk')).toEqual(['claim desk', 'contract.md']);
    expect(usesOf('// docs/http-contract.md')).toEqual([]);
  });

  test('a phrase of the right column is allowed, the word elsewhere is not', () => {
    const row = [{ words: ['refused'], phrases: ['connection refused'] }];
    expect(usesOf('// Connection\n// refused (ECONNREFUSED)', row)).toEqual([]);
    expect(usesOf('// connection refused, then refused again', row)).toEqual(['refused']);
  });
});
