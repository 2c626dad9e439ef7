import { Text, makeStyles, tokens } from '@fluentui/react-components';
import { LanguageButton } from '../texts/language-button.tsx';
import { useTexts } from '../texts/use-texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { NavigationDrawer } from './navigation-drawer.tsx';
import type { Page } from './pages.ts';

const useStyles = makeStyles({
  header: {
    gridArea: 'header',
    display: 'flex',
    alignItems: 'center',
    gap: tokens.spacingHorizontalS,
    padding: `${tokens.spacingVerticalXS} ${tokens.spacingHorizontalM}`,
    borderBottom: `1px solid ${tokens.colorNeutralStroke2}`,
    '@media print': { display: 'none' },
  },
  title: { flexGrow: 1, whiteSpace: 'nowrap', overflow: 'hidden', textOverflow: 'ellipsis' },
});

export function Header({ pages }: { pages: readonly Page[] }) {
  const texts = useTexts();
  const styles = useStyles();
  return (
    <header className={styles.header}>
      <NavigationDrawer pages={pages} />
      <Text weight="semibold" size={400} className={styles.title}>
        {texts.app.title}
      </Text>
      <LanguageButton />
      <AccountMenu />
    </header>
  );
}
