import { makeStyles } from '@fluentui/react-components';

const useStyles = makeStyles({
  hidden: { position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)' },
});

/** What a screen reader says when it changes; for changes that are only seen otherwise. Render it before the change. */
export function Announcement({ text }: { text: string }) {
  const styles = useStyles();
  return (
    <div role="status" className={styles.hidden}>
      {text}
    </div>
  );
}
