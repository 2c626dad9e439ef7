import { Text, Title2, makeStyles, tokens } from '@fluentui/react-components';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../texts/use-texts.ts';

const useStyles = makeStyles({ link: { color: tokens.colorBrandForegroundLink } });

/** A page that consists of a message. */
export function Message({
  title,
  text,
  hasWayOut = false,
}: {
  title: string;
  text: ReactNode;
  /** Adds a link to the start page. */
  hasWayOut?: boolean;
}) {
  const texts = useTexts();
  const styles = useStyles();
  return (
    <>
      <Title2 as="h1">{title}</Title2>
      {typeof text === 'string' ? (
        <Text as="p" block>
          {text}
        </Text>
      ) : (
        text
      )}
      {hasWayOut && (
        <p>
          <Link href="/" className={styles.link}>
            {texts.app.toStart}
          </Link>
        </p>
      )}
    </>
  );
}
