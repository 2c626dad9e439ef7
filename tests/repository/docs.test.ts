import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { problemCodes, statusOf } from '../../lib/base/service-error.ts';
import { rejectionReasons } from '../../lib/callers/rejection-reasons.ts';
import { retiredEverywhere, retiredOutsideTests, type RetiredWords } from './retired-words.ts';
import { subfolders } from '../../lib/contract/subfolders.ts';
import { repositoryFiles } from '../../release/repository-files.ts';

const top = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(top, path), 'utf8');
// Without git, so that it works on a copy of the sources too.
const tracked = repositoryFiles(['**/*', '**/.*', '.*/**/*']).filter(
  (path) => path !== 'console/openapi/openapi-types.ts',
);
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
      brokenLinksOf('docs/architecture.md', '[a](nowhere.md) [b](../../outside.md) [c](glossary.md#no-such)'),
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

  test('lists every code with its status, and no other', () => {
    const rows = [...contract.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)];
    const listed = rows.map(([, status, code]) => `${code} ${status}`);
    expect(listed.toSorted(), 'docs/http-contract.md, "Codes", has a row for each code').toEqual(
      problemCodes.map((code) => `${code} ${statusOf(code)}`).toSorted(),
    );
  });
});

describe('the log events', () => {
  const sources = tracked
    .filter((path) => /^(?:functions|lib)\/.*\.ts$/.test(path))
    .map((path) => ({ path, text: read(path) }));
  const rowOf = (event = '', level = '') => `| \`${event}\` | ${level} |`;

  test('are all in the table, each with its level, and no other', () => {
    const logged = sources.flatMap(({ text }) => [
      ...[...text.matchAll(/[lL]og\??\.(info|warn|error)\(\s*'(\w+)'/g)].map(([, level, event]) =>
        rowOf(event, level),
      ),
      ...[...text.matchAll(/loggingFailure\(log, '(\w+)'/g)].map(([, event]) => rowOf(event, 'error')),
    ]);
    const rows = [...read('docs/log-events.md').matchAll(/^\| `\w+` \| \w+ \|/gm)].map(([row]) => row);
    expect(rows.toSorted(), 'docs/log-events.md has a row for each event').toEqual(
      [...new Set(logged)].toSorted(),
    );
  });

  test('has a row for each reason of a rejected call, in their order', () => {
    const [, section = ''] = read('docs/log-events.md').split('## Rejected calls');
    expect([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason]) => reason)).toEqual([
      ...rejectionReasons,
    ]);
  });

  test('have their names where they are logged', () => {
    const withVariable = sources.filter(({ text }) => /[lL]og\??\.(?:info|warn|error)\(\s*[^'\s]/.test(text));
    expect(withVariable.map(({ path }) => path)).toEqual(['functions/timed-functions.ts']);
  });
});

test('the contract page has the subfolders of a project, in their order', () => {
  const [, list = ''] =
    /exactly these subfolders, in this order: ([^.]+)\./.exec(read('docs/http-contract.md')) ?? [];
  expect(list.split(', ')).toEqual(subfolders.map((name) => `\`${name}\``));
});

describe('the decisions', () => {
  const records = readdirSync(join(top, 'docs/decisions')).filter((name) => name !== 'README.md');

  test.each(records)('%s has its parts', (name) => {
    const text = read(`docs/decisions/${name}`);
    const state = String.raw`(\d{4}-\d{2}-\d{2}), (?:in force|replaced by \[\d{4}\].*)\.`;
    const sections = ['Decision.', 'Reasons and measurements.', 'Revisit when'].map(
      (name) => String.raw`\*\*${RegExp.escape(name)}\*\* `,
    );
    const parts = new RegExp(String.raw`^# (.+)\n\n${state}\n\n${sections.join('[^]+')}`).exec(text);
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
  const anyOf = (phrases: readonly string[]): RegExp => {
    const escaped = phrases.map((phrase) =>
      RegExp.escape(phrase).replaceAll(String.raw`\x20`, String.raw`\s+`),
    );
    return new RegExp(`(?<![\\w-])(?:${escaped.join('|')})(?!\\w)`, 'gi');
  };
  const wordsOfNames = (text: string): string => text.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ');

  const usesOf = (text: string, rows: readonly RetiredWords[] = retiredEverywhere): string[] => {
    const phrases = rows.flatMap((row) => row.phrases ?? []);
    const others = phrases.length === 0 ? joined(text) : joined(text).replaceAll(anyOf(phrases), '');
    const found = `${others}\n${wordsOfNames(others)}`.matchAll(anyOf(rows.flatMap(({ words }) => words)));
    const used = new Set([...found].map(([word]) => word.toLowerCase().replaceAll(/\s+/g, ' ')));
    return rows.flatMap(({ words }) => words.filter((word) => used.has(word.toLowerCase())));
  };

  const listsRetiredWords = new Set([
    'docs/glossary.md',
    'tests/repository/docs.test.ts',
    'tests/repository/retired-words.ts',
  ]);

  test('no retired word is used', () => {
    const uses = texts
      .filter((path) => !listsRetiredWords.has(path))
      .flatMap((path) => {
        const rows = /(?:^|\/)tests\//.test(path)
          ? retiredEverywhere
          : [...retiredEverywhere, ...retiredOutsideTests];
        const ofPath = rows.filter(({ files = [] }) => !files.includes(path));
        return usesOf(`${path}\n${read(path)}`, ofPath).map((word) => [
          path,
          word,
          `say: ${ofPath.find(({ words }) => words.includes(word))?.say}`,
        ]);
      });
    expect(uses).toEqual([]);
    expect(usesOf('// see contract.md, the claim\n// desk')).toEqual(['claim desk', 'contract.md']);
    expect(usesOf('// docs/http-contract.md')).toEqual([]);
    expect(usesOf('const libraryAnswer = isAtOnce', retiredOutsideTests)).toEqual(['answer', 'at once']);
  });

  test('a phrase is allowed, but its word elsewhere is not', () => {
    const row = [{ words: ['refused'], say: 'rejected', phrases: ['connection refused'] }];
    expect(usesOf('// Connection\n// refused (ECONNREFUSED)', row)).toEqual([]);
    expect(usesOf('// connection refused, then refused again', row)).toEqual(['refused']);
  });
});
