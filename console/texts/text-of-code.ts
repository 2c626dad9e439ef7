import {
  clientTexts,
  failureTexts,
  faultTexts,
  fieldTexts,
  problemTexts,
  waitingTexts,
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

interface Known {
  readonly code: string;
  readonly errors?: readonly Fault[] | undefined;
  readonly status?: number | undefined;
  readonly params?: Params;
}

/**
 * A text for people of what a call or an upload has thrown, or of a problem of the API, with every field that the service
 * has rejected. An unknown code, of a newer service, has the text of its status; with the param `setting`, nothing that a
 * user changes helps.
 */
export const problemText = (error: unknown, language: Language): string =>
  problemSentences(error, language).join(' ');

/** The same as several texts: what happened, then every fault of the request. */
export function problemSentences(error: unknown, language: Language): readonly string[] {
  const known = knownErrorIn(error);
  return [happenedText(known, language), ...(known.errors ?? []).map((fault) => faultText(fault, language))];
}

function happenedText({ code, status = 0, params }: Known, language: Language): string {
  const isOfIntermediary = code === 'unexpected_response';
  const isOfSetting = params?.['setting'] !== undefined;
  const known = isOfSetting ? clientTexts.wrong_setting : textIn({ ...problemTexts, ...clientTexts }, code);
  const byStatus = textOfStatus(status);
  const text = isOfIntermediary && status < 500 ? (byStatus ?? known) : (known ?? byStatus);
  return fillText(text ?? clientTexts.failed, language, { ...(status > 0 && { status }), ...params });
}

/** Why an upload waits (`Progress.waitingFor`): nobody has to do anything. */
export const waitingText = ({ code }: { readonly code: string }, language: Language): string =>
  fillText(code === 'unreachable' ? waitingTexts.unreachable : waitingTexts.other, language);

function knownErrorIn(error: unknown): Known {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (typeof code === 'string') return error as Known;
  if (name === 'AbortError') return { code: 'aborted' };
  // fetch throws it when there is no response.
  if (error instanceof TypeError || name === 'TimeoutError') return { code: 'unreachable' };
  return { code: error instanceof SyntaxError ? 'unexpected_response' : 'failed' };
}

/** A text of one entry of a problem's `errors`, with the name of its field. */
export function faultText({ path, code = '', params }: Fault, language: Language): string {
  const text = fillText(textIn(faultTexts, code) ?? faultTexts.invalid, language, params);
  const names = path.split('.').slice(1);
  const field = names.findLast((name) => Number.isNaN(Number(name)));
  if (field === undefined) return text;
  const name = textIn(fieldTexts, field);
  return `${name ? fillText(name, language) : field}: ${text}`;
}

/** Why a folder request is FAILED. */
export const failureText = (
  { errorCode = 'other', errorParams }: { readonly errorCode?: string; readonly errorParams?: Params },
  language: Language,
): string => fillText(textIn(failureTexts, errorCode) ?? failureTexts.other, language, errorParams);

interface WarningLike {
  readonly code: string;
  readonly excerpt?: string | undefined;
}

/** What a person should check in a text. */
export function warningText({ code, excerpt }: WarningLike, language: Language): string {
  const text = textIn(warningTexts, code) ?? clientTexts.unknown_warning;
  return fillText(text, language, excerpt === undefined ? {} : { excerpt });
}

const textIn = (texts: Readonly<Record<string, CodeText>>, code: string): CodeText | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined;

function textOfStatus(status: number): CodeText | undefined {
  if (status < 400) return undefined;
  return textsOfStatus[status] ?? (status >= 500 ? problemTexts.internal_error : clientTexts.rejected);
}

const textsOfStatus: Partial<Record<number, CodeText>> = {
  400: problemTexts.invalid_request,
  401: problemTexts.unauthenticated,
  403: problemTexts.forbidden,
  404: problemTexts.not_found,
  409: clientTexts.conflict,
  413: problemTexts.file_too_large,
  422: problemTexts.invalid_request,
  423: problemTexts.document_locked,
  429: problemTexts.rate_limited,
};

/** With its params; a part in brackets is left out if one of them is absent. */
function fillText(text: CodeText, language: Language, params: Params = {}): string {
  const has = (part: string): boolean =>
    [...part.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => params[name] !== undefined);
  return text[language === 'de' ? 0 : 1]
    .replaceAll(/\[([^\]]*)\]/g, (_, part: string) => (has(part) ? part : ''))
    .replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = params[name];
      return typeof value === 'number' ? value.toLocaleString(language) : (value ?? whole);
    });
}
