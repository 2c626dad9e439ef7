import { Spinner } from '@fluentui/react-components';
import type { ReactNode } from 'react';
import { ApiProblem } from '../openapi/api-problem.ts';
import { useTexts } from '../texts/use-texts.ts';
import { OldData, type AgingQuery } from './old-data.tsx';
import { ProblemBar } from './problem-bar.tsx';

interface Query<T> extends AgingQuery {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
}

/** The data of a query, marked when it is old; before it is loaded, a spinner; if it cannot be loaded, the reason. */
export function Loaded<T>({
  query,
  notFound,
  isAgeShown = false,
  children,
}: {
  query: Query<T>;
  /** Shown for an id that does not exist or cannot be one, which a retry does not change. */
  notFound?: string;
  /** The page shows the age of the data elsewhere. */
  isAgeShown?: boolean;
  children: (data: T) => ReactNode;
}) {
  const { common } = useTexts();
  const { data, error, isPending, refetch } = query;
  if (data !== undefined) {
    return (
      <>
        {!isAgeShown && <OldData query={query} />}
        {children(data)}
      </>
    );
  }
  if (isPending) return <Spinner label={common.loading} />;
  const isMissing = error instanceof ApiProblem && (error.status === 404 || error.code === 'invalid_request');
  if (isMissing && notFound !== undefined) return <p>{notFound}</p>;
  return <ProblemBar error={error} onRetry={() => void refetch()} />;
}
