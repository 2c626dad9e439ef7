import {
  clientTexts,
  failureTexts,
  faultTexts,
  fieldTexts,
  problemTexts,
  warningTexts,
  type CodeText,
} from './problem-texts.ts';

export type Language = 'de' | 'en';
type Params = Readonly<Record<string, string | number>> | undefined;

interface Fault {
  readonly path: string;
  readonly code?: string;
  readonly params?: Params;
}

export interface ProblemLike {
  /** A code of the API, or of the client for direct uploads. */
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  readonly params?: Params;
}

/** A text of a problem for people. An unknown code, of a newer service, has the text of its status. */
export function problemText({ code = '', status = 0, params }: ProblemLike, language: Language): string {
  const known = textIn({ ...problemTexts, ...clientTexts }, code);
  return filled(known ?? problemTexts[codeOfStatus(status)], language, { status, ...params });
}

/** A text of one entry of a problem's `errors`, with the name of its field. */
export function faultText({ path, code = '', params }: Fault, language: Language): string {
  const text = filled(textIn(faultTexts, code) ?? faultTexts.invalid, language, params);
  const names = path.split('.').slice(1);
  const field = names.findLast((name) => Number.isNaN(Number(name)));
  if (field === undefined) return text;
  const name = textIn(fieldTexts, field);
  return `${name ? filled(name, language) : field}: ${text}`;
}

/** Why a folder request is FAILED. */
export const failureText = (
  { errorCode = 'other', errorParams }: { readonly errorCode?: string; readonly errorParams?: Params },
  language: Language,
): string => filled(textIn(failureTexts, errorCode) ?? failureTexts.other, language, errorParams);

interface WarningLike {
  readonly code: string;
  readonly message: string;
  readonly excerpt?: string | undefined;
}

/** What a person should check in a text; for a code of a newer service its message. */
export function warningText({ code, message, excerpt }: WarningLike, language: Language): string {
  const text = textIn(warningTexts, code);
  return text ? filled(text, language, excerpt === undefined ? {} : { excerpt }) : message;
}

const textIn = (texts: Readonly<Record<string, CodeText>>, code: string): CodeText | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined;

function codeOfStatus(status: number): keyof typeof problemTexts {
  if (status === 401) return 'unauthenticated';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'internal_error' : 'invalid_request';
}

/** With its params; a part in brackets is left out if one of them is absent. */
function filled(text: CodeText, language: Language, params: Params = {}): string {
  const has = (part: string): boolean =>
    [...part.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => params[name] !== undefined);
  return text[language === 'de' ? 0 : 1]
    .replaceAll(/\[([^\]]*)\]/g, (_, part: string) => (has(part) ? part : ''))
    .replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = params[name];
      return typeof value === 'number' ? value.toLocaleString(language) : (value ?? whole);
    });
}
