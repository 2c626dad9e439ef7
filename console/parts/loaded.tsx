import { Spinner } from '@fluentui/react-components';
import type { ReactNode } from 'react';
import { ApiProblem } from '../api/api-problem.ts';
import { useTexts } from '../texts/use-texts.ts';
import { ProblemBar } from './problem-bar.tsx';

interface Query<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

/** The data of a query; before it is loaded, a spinner; if it cannot be loaded, the reason. */
export function Loaded<T>({
  query,
  notFound,
  children,
}: {
  query: Query<T>;
  /** Shown for a 404, which a retry does not change. */
  notFound?: string;
  children: (data: T) => ReactNode;
}) {
  const { common } = useTexts();
  const { data, error, isPending, refetch } = query;
  if (data !== undefined) return children(data);
  if (isPending) return <Spinner label={common.loading} />;
  const isMissing = error instanceof ApiProblem && error.status === 404;
  if (isMissing && notFound !== undefined) return <p>{notFound}</p>;
  return <ProblemBar error={error} onRetry={() => void refetch()} />;
}
