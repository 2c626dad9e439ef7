import {
  Button,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogTitle,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { ArrowDownloadRegular } from '@fluentui/react-icons';
import { bytes } from '../../parts/bytes.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import type { ProjectDocument } from './project/use-project.ts';
import { useVersions, type DocumentVersion } from './project/use-versions.ts';

const useStyles = makeStyles({
  list: { listStyle: 'none', margin: 0, padding: 0 },
  item: { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: tokens.spacingHorizontalM },
  facts: { flexGrow: 1 },
});

/** What the library keeps of a document, each to download. The content of a dialog. */
export function VersionsDialog({ document, onClose }: { document: ProjectDocument; onClose: () => void }) {
  const { documents: texts, common } = useTexts();
  const styles = useStyles();
  const { list, download } = useVersions(document.id);
  return (
    <DialogBody>
      <DialogTitle>{texts.versionsOf(document.fileName)}</DialogTitle>
      <DialogContent>
        <Loaded query={list}>
          {({ items }) => (
            <>
              {items.length === 1 && <p>{texts.noEarlierVersion}</p>}
              <ul className={styles.list}>
                {items.map((version) => (
                  <li key={version.versionId} className={styles.item}>
                    <VersionFacts version={version} />
                    <Button
                      appearance="subtle"
                      icon={<ArrowDownloadRegular />}
                      aria-label={`${texts.download}: ${version.versionId}`}
                      title={texts.download}
                      disabledFocusable={download.isPending}
                      onClick={() => download.mutate(version.versionId)}
                    />
                  </li>
                ))}
              </ul>
            </>
          )}
        </Loaded>
        <ProblemBar error={download.error} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{common.close}</Button>
      </DialogActions>
    </DialogBody>
  );
}

function VersionFacts({
  version: { versionId, modifiedAt, modifiedByName, size, isCurrent },
}: {
  version: DocumentVersion;
}) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const language = useLanguage();
  const facts = [modifiedByName, size !== null && bytes(size, language), isCurrent && texts.currentVersion];
  return (
    <span className={styles.facts}>
      {versionId} · {modifiedAt !== null && <Moment at={modifiedAt} />}
      {facts
        .filter(Boolean)
        .map((fact) => ` · ${fact}`)
        .join('')}
    </span>
  );
}
