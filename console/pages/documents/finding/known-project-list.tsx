import { Subtitle2, ToggleButton, makeStyles, tokens } from '@fluentui/react-components';
import { PinFilled, PinRegular } from '@fluentui/react-icons';
import { Link } from 'wouter';
import { useTexts } from '../../../texts/use-texts.ts';
import { useKnownProjects } from './use-known-projects.ts';

const useStyles = makeStyles({
  list: { listStyle: 'none', margin: `0 0 ${tokens.spacingVerticalL}`, padding: 0, columnWidth: '24rem' },
  item: { display: 'flex', alignItems: 'center', breakInside: 'avoid', overflowWrap: 'anywhere' },
  link: { color: tokens.colorBrandForegroundLink },
});

/** Pinned projects, then those that were opened last. Nothing before the first one. */
export function KnownProjectList() {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const { known, pin } = useKnownProjects();
  if (known.length === 0) return null;
  return (
    <section aria-label={texts.recentProjects}>
      <Subtitle2 as="h2" block>
        {texts.recentProjects}
      </Subtitle2>
      <ul className={styles.list}>
        {known
          .toSorted((a, b) => Number(b.isPinned) - Number(a.isPinned))
          .map(({ id, number, name, isPinned }) => (
            <li key={id} className={styles.item}>
              <ToggleButton
                appearance="transparent"
                checked={isPinned}
                icon={isPinned ? <PinFilled /> : <PinRegular />}
                aria-label={`${texts.pin}: ${number} ${name}`}
                title={texts.pin}
                onClick={() => pin(id, !isPinned)}
              />
              <Link className={styles.link} href={`/documents/${encodeURIComponent(id)}`}>
                {number} {name}
              </Link>
            </li>
          ))}
      </ul>
    </section>
  );
}
