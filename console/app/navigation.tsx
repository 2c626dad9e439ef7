import { makeStyles, mergeClasses, tokens } from '@fluentui/react-components';
import { Link, useLocation } from 'wouter';
import { useTexts } from '../texts/use-texts.ts';
import type { Page } from './pages.ts';

const useStyles = makeStyles({
  list: {
    listStyle: 'none',
    margin: 0,
    padding: tokens.spacingHorizontalS,
    display: 'grid',
    gap: tokens.spacingVerticalXXS,
  },
  link: {
    display: 'flex',
    alignItems: 'center',
    gap: tokens.spacingHorizontalS,
    padding: `${tokens.spacingVerticalS} ${tokens.spacingHorizontalM}`,
    borderRadius: tokens.borderRadiusMedium,
    color: tokens.colorNeutralForeground1,
    textDecorationLine: 'none',
    ':hover': { backgroundColor: tokens.colorNeutralBackground1Hover },
  },
  current: {
    backgroundColor: tokens.colorNeutralBackground1Selected,
    fontWeight: tokens.fontWeightSemibold,
    boxShadow: `inset 3px 0 0 ${tokens.colorCompoundBrandStroke}`,
  },
  icon: { fontSize: '20px', flexShrink: 0 },
});

/** Links to the pages the user may see. */
export function Navigation({ pages, onChosen }: { pages: readonly Page[]; onChosen?: () => void }) {
  const texts = useTexts();
  const styles = useStyles();
  const [path] = useLocation();
  return (
    <ul className={styles.list}>
      {pages.map((page) => {
        const isCurrent = path === page.path || path.startsWith(`${page.path}/`);
        return (
          <li key={page.path}>
            <Link
              href={page.path}
              className={mergeClasses(styles.link, isCurrent && styles.current)}
              aria-current={isCurrent ? 'page' : undefined}
              onClick={() => onChosen?.()}
            >
              <page.icon className={styles.icon} aria-hidden />
              {texts.pages[page.name]}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
