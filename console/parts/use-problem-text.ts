import { ApiProblem } from '../api/api-problem.ts';
import type { Language } from '../texts/language.ts';
import { faultText, problemText } from '../texts/text-of-code.ts';
import { useLanguage } from '../texts/use-texts.ts';
import { DirectUploadError } from '../uploads/direct-upload-error.ts';

/** The reason for a failed call as texts for users: what happened, then every fault of the request. */
export function problemTextsOf(error: Error, language: Language): readonly string[] {
  if (error instanceof ApiProblem || error instanceof DirectUploadError) {
    return [problemText(error, language), ...error.errors.map((fault) => faultText(fault, language))];
  }
  // fetch throws it when there is no response.
  return [error instanceof TypeError ? problemText({ code: 'unreachable' }, language) : error.message];
}

/** The same as one text. */
export function useProblemText(): (error: Error) => string {
  const language = useLanguage();
  return (error) => problemTextsOf(error, language).join(' ');
}
