import { Spinner, makeStyles, tokens } from '@fluentui/react-components';
import { Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { usePageTitle } from '../base/title.ts';
import { NeedsRole } from '../parts/needs-role.tsx';
import { mayOneOf, type Permission } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { useTexts } from '../texts/use-texts.ts';
import { narrow } from '../theme/widths.ts';
import { FailureBoundary } from './failure-boundary.tsx';
import { Header } from './header.tsx';
import { guardFocus } from './focus-guard.ts';
import { Navigation } from './navigation.tsx';
import { Message } from './message.tsx';
import { pages, type Page } from './pages.ts';

const useStyles = makeStyles({
  frame: {
    height: '100dvh',
    display: 'grid',
    gridTemplate: '"header header" auto "navigation main" minmax(0, 1fr) / 15rem minmax(0, 1fr)',
    backgroundColor: tokens.colorNeutralBackground2,
    [narrow]: { gridTemplate: '"header" auto "main" minmax(0, 1fr) / minmax(0, 1fr)' },
    '@media print': { display: 'block', height: 'auto' },
  },
  skip: {
    position: 'absolute',
    left: '-999rem',
    ':focus': { left: tokens.spacingHorizontalM, top: tokens.spacingVerticalM, zIndex: 10 },
  },
  navigation: {
    gridArea: 'navigation',
    overflowY: 'auto',
    [narrow]: { display: 'none' },
    '@media print': { display: 'none' },
  },
  main: {
    gridArea: 'main',
    overflow: 'auto',
    outlineStyle: 'none',
    padding: tokens.spacingHorizontalXXL,
    backgroundColor: tokens.colorNeutralBackground1,
    [narrow]: { padding: tokens.spacingHorizontalM },
    '@media print': { overflow: 'visible', padding: 0 },
    // In very wide windows, a row that ends far from where it begins is not read as one.
    '& > *': { maxWidth: '100rem' },
    '& p': { maxWidth: '75ch' },
  },
});

/** The page that is opened first comes first. */
const preloadAfterMs = 5000;

const pagesFor = (permissions: ReadonlySet<Permission>): readonly Page[] =>
  pages.filter(({ needs }) => mayOneOf(permissions, needs));

async function preloadPages(permissions: ReadonlySet<Permission>): Promise<void> {
  for (const { view } of pagesFor(permissions)) await view.preload();
}

/** Header, menu, and the page for the current address. */
export function Shell() {
  const { permissions } = useUser();
  const texts = useTexts();
  const styles = useStyles();
  const [path] = useLocation();
  const offered = pagesFor(permissions);
  const current = offered.find((page) => path === page.path || path.startsWith(`${page.path}/`));

  usePageTitle(current ? `${texts.pages[current.name]} – ${texts.app.title}` : texts.app.title);

  useEffect(guardFocus, []);

  useEffect(() => {
    const timer = setTimeout(() => void preloadPages(permissions), preloadAfterMs);
    return () => clearTimeout(timer);
  }, [permissions]);

  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        {texts.app.skip}
      </a>
      <Header pages={offered} />
      <nav className={styles.navigation} aria-label={texts.app.menu}>
        <Navigation pages={offered} />
      </nav>
      <main key={path.split('/')[1]} id="main" className={styles.main} ref={focusOnPage} tabIndex={-1}>
        <FailureBoundary path={path}>
          <Suspense fallback={<Spinner label={texts.common.loading} />}>
            <Switch>
              {offered.map((page) => (
                <Route key={page.path} path={`${page.path}/*?`}>
                  <page.view.View />
                </Route>
              ))}
              <Route path="/">
                {offered[0] ? (
                  <Redirect to={offered[0].path} replace />
                ) : (
                  <Message title={texts.app.title} text={texts.app.nothingForYou} />
                )}
              </Route>
              {pages.map((page) => (
                <Route key={page.path} path={`${page.path}/*?`}>
                  <NoAccess page={page} />
                </Route>
              ))}
              <Route>
                <Message title={texts.app.title} text={texts.app.notFound} hasWayOut />
              </Route>
            </Switch>
          </Suspense>
        </FailureBoundary>
      </main>
    </div>
  );
}

/** A page that exists, but not for this user: says who could change that. */
function NoAccess({ page: { name, needs } }: { page: Page }) {
  const { pages: names } = useTexts();
  return <Message title={names[name]} text={<NeedsRole name={names[name]} roles={needs} />} hasWayOut />;
}

/** Screen readers and the keyboard continue at the new page. */
function focusOnPage(main: HTMLElement | null): void {
  main?.focus({ preventScroll: true });
}
