import { ApiProblem } from '../api/api-problem.ts';
import { useTexts } from '../texts/use-texts.ts';

/** The reason for a failed call, as text for users. */
export function useProblemText(): (error: Error) => string {
  const { problems } = useTexts();
  return (error) => {
    // fetch throws it when there is no response.
    if (error instanceof TypeError) return problems.unreachable;
    if (error instanceof ApiProblem && error.code === 'unexpected_response')
      return problems.unexpected(error.status);
    return error.message;
  };
}
