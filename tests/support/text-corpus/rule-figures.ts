import { type Finding, findingsIn } from '../../../lib/activities/text/text-check.ts';
import { type LabelledText, labelledTexts } from './corpus.ts';

export interface RuleFigures {
  readonly rule: string;
  /** Of the texts that the rule objects to, how many have this fault. */
  readonly precision: number;
  /** Of the texts with this fault, how many the rule objects to. */
  readonly recall: number;
  readonly faulty: number;
  readonly falseAlarms: readonly LabelledText[];
  readonly missed: readonly LabelledText[];
}

const rules = [
  'unknown_figure',
  'placeholder_left',
  'markdown',
  'informal_address',
  'wrong_language',
  'sender_repeated',
  'salutation_missing',
  'too_long',
] as const satisfies readonly Finding['code'][];

/** Precision and recall of each rule of the text check, and of all together, over the labelled texts. */
export function ruleFigures(texts: readonly LabelledText[]): RuleFigures[] {
  const judged = texts.map((each) => ({
    each,
    codes: new Set<string>(findingsIn(each.text, each.task).map(({ code }) => code)),
  }));
  const figures = rules.map((rule) => {
    const right = judged.filter(({ each, codes }) => each.fault?.code === rule && codes.has(rule)).length;
    const missed = judged.filter(({ each, codes }) => each.fault?.code === rule && !codes.has(rule));
    const falseAlarms = judged.filter(({ each, codes }) => each.fault?.code !== rule && codes.has(rule));
    return figuresOf(rule, right, missed, falseAlarms);
  });
  const sum = figuresOf(
    'all',
    figures.reduce((total, { faulty, missed }) => total + faulty - missed.length, 0),
    figures.flatMap(({ missed }) => missed.map((each) => ({ each }))),
    figures.flatMap(({ falseAlarms }) => falseAlarms.map((each) => ({ each }))),
  );
  return [...figures, sum];
}

export const corpus = (): LabelledText[] => [...labelledTexts('clean.txt'), ...labelledTexts('faulty.txt')];

function figuresOf(
  rule: string,
  right: number,
  missed: readonly { each: LabelledText }[],
  falseAlarms: readonly { each: LabelledText }[],
): RuleFigures {
  const objections = right + falseAlarms.length;
  const faulty = right + missed.length;
  return {
    rule,
    precision: objections === 0 ? 1 : right / objections,
    recall: faulty === 0 ? 1 : right / faulty,
    faulty,
    falseAlarms: falseAlarms.map(({ each }) => each),
    missed: missed.map(({ each }) => each),
  };
}
