import { ApiProblem } from '../api/api-problem.ts';
import { useTexts } from '../texts/use-texts.ts';

/** Why a call has failed, in words. */
export function useProblemText(): (error: Error) => string {
  const { problems } = useTexts();
  return (error) => {
    // What fetch throws when nothing answers.
    if (error instanceof TypeError) return problems.unreachable;
    if (error instanceof ApiProblem && error.code === 'unexpected_answer')
      return problems.unexpected(error.status);
    return error.message;
  };
}
