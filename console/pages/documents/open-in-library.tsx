import { Button } from '@fluentui/react-components';
import { FolderRegular } from '@fluentui/react-icons';
import { useTexts } from '../../texts/use-texts.ts';

/** Opens the project's folder in the library. Without an address the folders have not been created, or not been looked for. */
export function OpenInLibrary({ url }: { url: string | undefined }) {
  const { documents: texts } = useTexts();
  if (url === undefined) {
    return (
      <Button icon={<FolderRegular />} disabledFocusable title={texts.foldersUnknown}>
        {texts.openLibrary}
      </Button>
    );
  }
  return (
    <Button as="a" icon={<FolderRegular />} href={url} target="_blank" rel="noreferrer">
      {texts.openLibrary}
    </Button>
  );
}
