import { Button, Text, makeStyles, tokens } from '@fluentui/react-components';
import { SearchRegular } from '@fluentui/react-icons';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useTexts } from '../../texts/use-texts.ts';

const useStyles = makeStyles({
  actions: { display: 'flex', flexWrap: 'wrap', gap: tokens.spacingHorizontalS },
});

/** Says what was searched, where, and how the search works, so that nobody uploads a file again that exists. */
export function NothingFound({
  search,
  place,
  searchedProjects,
  children,
}: {
  search: string;
  /** Absent if all projects were searched. */
  place?: { readonly folder: string | undefined };
  /** As long as not all projects were searched: how many. */
  searchedProjects?: number;
  /** Buttons that search elsewhere. */
  children: ReactNode;
}) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  return (
    <div role="status">
      <Text as="p" block weight="semibold">
        {place ? texts.notFoundHere(search, place.folder) : texts.notFoundAnywhere(search, searchedProjects)}
      </Text>
      <Text as="p" block>
        {texts.howSearched}
      </Text>
      <div className={styles.actions}>{children}</div>
    </div>
  );
}

export function SearchAllProjects({ search }: { search: string }) {
  const { documents: texts } = useTexts();
  const [, navigate] = useLocation();
  return (
    <Button
      appearance="primary"
      icon={<SearchRegular />}
      onClick={() => navigate(`/documents?${new URLSearchParams({ search })}`)}
    >
      {texts.searchAllProjects}
    </Button>
  );
}
