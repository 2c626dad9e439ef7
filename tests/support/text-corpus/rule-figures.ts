import { type Finding, findingsIn } from '../../../lib/activities/text/text-check.ts';
import { type LabeledText, labeledTexts } from './corpus.ts';

export interface RuleFigures {
  readonly rule: string;
  /** The share of texts with this fault among those that the rule reports. */
  readonly precision: number;
  /** The share of texts that the rule reports among those with this fault. */
  readonly recall: number;
  readonly faulty: number;
  readonly falseAlarms: readonly LabeledText[];
  readonly missed: readonly LabeledText[];
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
  'model_chatter',
  'unusual_characters',
  'unknown_attachment',
  'wrong_weekday',
  'unknown_name',
  'wrong_gender',
  'closing_missing',
  'name_altered',
  'subject_too_long',
] as const satisfies readonly Finding['code'][];

/** Precision and recall of each rule of the text check, and of all together, over the labeled texts. */
export function ruleFigures(texts: readonly LabeledText[]): RuleFigures[] {
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

export const corpus = (): LabeledText[] => [...labeledTexts('clean.txt'), ...labeledTexts('faulty.txt')];

function figuresOf(
  rule: string,
  right: number,
  missed: readonly { each: LabeledText }[],
  falseAlarms: readonly { each: LabeledText }[],
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
