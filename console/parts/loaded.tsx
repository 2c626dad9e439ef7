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

/** What a query has loaded; before that a spinner, or why it could not be loaded. */
export function Loaded<T>({
  query,
  notFound,
  children,
}: {
  query: Query<T>;
  /** Shown for a 404, which trying again does not change. */
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
