import { Subtitle2, Text, makeStyles, tokens } from '@fluentui/react-components';
import type { Schemas } from '../../api/client.ts';
import { exactTime } from '../../parts/moments.ts';
import { useUserName } from '../../session/use-session.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import type { FolderRequest } from './loaded-requests.ts';

type Entry = Schemas['FolderRequestHistoryEntry'];

const useStyles = makeStyles({
  line: {
    listStyle: 'none',
    margin: `${tokens.spacingVerticalS} 0 0 ${tokens.spacingHorizontalS}`,
    padding: 0,
    borderLeft: `2px solid ${tokens.colorNeutralStroke1}`,
  },
  entry: {
    position: 'relative',
    padding: `0 0 ${tokens.spacingVerticalL} ${tokens.spacingHorizontalL}`,
    '::before': {
      content: '""',
      position: 'absolute',
      left: '-6px',
      top: '5px',
      width: '10px',
      height: '10px',
      borderRadius: '50%',
      backgroundColor: tokens.colorNeutralForeground3,
    },
  },
  message: { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  aside: { color: tokens.colorNeutralForeground2, overflowWrap: 'anywhere' },
});

/** The transitions of the request, oldest first. */
export function RequestHistory({
  request: { history, requestedByUserId, requestedByName },
}: {
  request: Pick<FolderRequest, 'requestedByUserId' | 'requestedByName'> & {
    readonly history: readonly Entry[];
  };
}) {
  const { folderRequests: texts } = useTexts();
  const language = useLanguage();
  const styles = useStyles();
  const nameOf = useUserName();
  return (
    <section>
      <Subtitle2 as="h3">{texts.history}</Subtitle2>
      <ol className={styles.line}>
        {history.map(({ at, event, agentId, userId, userName, message }) => (
          <li key={`${at} ${event} ${agentId}`} className={styles.entry}>
            <Text weight="semibold">{texts.events[event]}</Text>
            <Text block size={200} className={styles.aside}>
              <time dateTime={at}>{exactTime(new Date(at), language)}</time>
              {agentId !== undefined && ` · ${agentId}`}
              {userId !== undefined &&
                ` · ${nameOf(userId, userName ?? (userId === requestedByUserId ? requestedByName : null))}`}
            </Text>
            {message !== undefined && (
              <Text block className={styles.message}>
                {message}
              </Text>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
