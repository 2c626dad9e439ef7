import { checkedText, unusableIn } from '../../../lib/activities/text/activity-text.ts';
import { openNames } from '../../../lib/activities/text/names/hidden-names.ts';
import { findingsIn } from '../../../lib/activities/text/text-check.ts';
import { type LabeledText, labeledSets, labeledTexts } from './corpus.ts';

/** What the rules say of labeled texts. */
export interface Report {
  readonly good: number;
  readonly faulty: number;
  /** Good texts with a finding. */
  readonly alarms: readonly LabeledText[];
  /** Faulty texts without one. */
  readonly missed: readonly LabeledText[];
  /** Good texts that would be written again. */
  readonly secondCalls: number;
  readonly softPerGoodText: number;
}

export function reportOf(texts: readonly LabeledText[]): Report {
  const checked = texts.map((each) => ({ each, ...checkedText(each.text, openNames(each.task)) }));
  const good = checked.filter(({ each }) => each.fault === null);
  const faulty = checked.filter(({ each }) => each.fault !== null);
  return {
    good: good.length,
    faulty: faulty.length,
    alarms: good.filter(({ findings }) => findings.length > 0).map(({ each }) => each),
    missed: faulty.filter(({ findings }) => findings.length === 0).map(({ each }) => each),
    secondCalls: good.filter(({ findings }) => unusableIn(findings).length > 0).length,
    softPerGoodText: good.flatMap(({ derived }) => derived).length / Math.max(1, good.length),
  };
}

/** Changes every so many digits of the good texts to two others, and counts the changes with a new finding. */
export function changedDigits(
  texts: readonly LabeledText[],
  step: number,
): { changed: number; found: number } {
  let [changed, found, digits] = [0, 0, 0];
  for (const { text, task } of texts.filter(({ fault }) => fault === null)) {
    const { content } = text;
    const quotes = (changedContent: string): string[] =>
      findingsIn({ ...text, content: changedContent }, task).map(({ code, excerpt }) => `${code} ${excerpt}`);
    // Many texts have no digit whose turn it is.
    let before: ReadonlySet<string> | undefined;
    for (const { 0: digit, index } of content.matchAll(/\d/g)) {
      digits += 1;
      if (digits % step > 0) continue;
      const known = (before ??= new Set(quotes(content)));
      for (const other of [1, 5].map((more) => (Number(digit) + more) % 10)) {
        changed += 1;
        const after = quotes(content.slice(0, index) + other + content.slice(index + 1));
        if (after.some((each) => !known.has(each))) found += 1;
      }
    }
  }
  return { changed, found };
}

/** A table of all sets: faulty and good texts with a finding, good ones that would be written again, changed digits. */
export function labeledReport(): string {
  const all = labeledSets.flatMap((set) => labeledTexts(set));
  const row = (name: string, texts: readonly LabeledText[]): string => {
    const { good, faulty, alarms, missed, secondCalls, softPerGoodText } = reportOf(texts);
    return [
      name.padEnd(24),
      `faulty found ${faulty - missed.length} of ${faulty}`,
      `good found ${alarms.length} of ${good}`,
      `second calls ${secondCalls}`,
      `soft marks ${softPerGoodText.toFixed(2)}`,
    ].join('  ');
  };
  const { changed, found } = changedDigits(all, 10);
  return [
    ...labeledSets.map((set) => row(set, labeledTexts(set))),
    row('together', all),
    `Of ${changed} changed digits in good texts, ${found} have a new finding.`,
  ].join('\n');
}
