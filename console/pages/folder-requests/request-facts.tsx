import { Text, makeStyles, tokens } from '@fluentui/react-components';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { exactTime } from '../../parts/moments.ts';
import { useMay, useUserName } from '../../session/use-session.ts';
import { failureText } from '../../texts/text-of-code.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import type { FolderRequest } from './loaded-requests.ts';
import { StatusBadge } from './status-badge.tsx';

const useStyles = makeStyles({
  facts: {
    display: 'grid',
    gridTemplateColumns: 'max-content minmax(0, 1fr)',
    gap: `${tokens.spacingVerticalXS} ${tokens.spacingHorizontalL}`,
    margin: `0 0 ${tokens.spacingVerticalL}`,
  },
  value: { margin: 0, overflowWrap: 'anywhere' },
  error: {
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    margin: `0 0 ${tokens.spacingVerticalL}`,
    padding: tokens.spacingHorizontalM,
    backgroundColor: tokens.colorPaletteRedBackground1,
    color: tokens.colorPaletteRedForeground1,
    borderRadius: tokens.borderRadiusMedium,
  },
  link: { color: tokens.colorBrandForegroundLink },
  path: {
    fontFamily: tokens.fontFamilyMonospace,
    overflowWrap: 'anywhere',
    margin: `0 0 ${tokens.spacingVerticalM}`,
  },
});

export function RequestFacts({ request }: { request: FolderRequest }) {
  const { folderRequests: texts, common } = useTexts();
  const styles = useStyles();
  const language = useLanguage();
  const nameOf = useUserName();
  const isAdministrator = useMay('Administrator');
  const { id, targetPath, status, agentId, attempts, errorMessage, projectId } = request;
  const { requestedByUserId, requestedByName } = request;
  const link = (href: string, text: string) => (
    <Link className={styles.link} href={href}>
      {text}
    </Link>
  );
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    [texts.state, <StatusBadge key="status" status={status} />],
    [
      texts.requestedBy,
      requestedByUserId === null ? common.none : nameOf(requestedByUserId, requestedByName),
    ],
    [
      texts.agent,
      agentId !== null && isAdministrator
        ? link(`/agents?agent=${encodeURIComponent(agentId)}`, agentId)
        : (agentId ?? common.none),
    ],
    ...(projectId === undefined
      ? []
      : [[texts.project, link(`/documents/${encodeURIComponent(projectId)}`, projectId)] as const]),
    [texts.attempts, attempts],
    [texts.created, exactTime(new Date(request.createdAt), language)],
    [texts.finished, request.processedAt ? exactTime(new Date(request.processedAt), language) : common.none],
    [texts.id, id],
    ...(isAdministrator && errorMessage !== null
      ? ([
          [
            texts.agentMessage,
            <span key="message" lang="en">
              {errorMessage}
            </span>,
          ],
        ] as const)
      : []),
  ];
  return (
    <>
      <Text as="p" block className={styles.path}>
        {targetPath}
      </Text>
      {status === 'FAILED' && <p className={styles.error}>{failureText(request, language)}</p>}
      {request.unserved && (
        <p className={styles.error}>{isAdministrator ? texts.unserved : texts.unservedForUsers}</p>
      )}
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd className={styles.value}>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
