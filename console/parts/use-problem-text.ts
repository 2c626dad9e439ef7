import { ApiProblem } from '../openapi/api-problem.ts';
import { useMay } from '../session/use-session.ts';
import type { Language } from '../texts/language.ts';
import { problemSentences, problemText } from '../texts/text-of-code.ts';
import { useLanguage } from '../texts/use-texts.ts';
import { DirectUploadError } from '../uploads/direct-upload-error.ts';

/**
 * The reason for a failed call as texts for users: what happened, then every fault of the request. Administrators also read
 * which setting is wrong.
 */
function problemTextsOf(error: Error, language: Language, isAdministrator: boolean): readonly string[] {
  if (error instanceof ApiProblem || error instanceof DirectUploadError) {
    const isSettingHidden = !isAdministrator && error.params?.['setting'] !== undefined;
    const problem = isSettingHidden ? { code: 'wrong_setting' } : error;
    return problemSentences(problem, language);
  }
  // fetch throws it when there is no response.
  return [error instanceof TypeError ? problemText({ code: 'unreachable' }, language) : error.message];
}

export function useProblemTexts(): (error: Error) => readonly string[] {
  const language = useLanguage();
  const isAdministrator = useMay('Administrator');
  return (error) => problemTextsOf(error, language, isAdministrator);
}

/** The same as one text. */
export function useProblemText(): (error: Error) => string {
  const textsOf = useProblemTexts();
  return (error) => textsOf(error).join(' ');
}
