import { Button } from '@fluentui/react-components';
import { ArrowUploadRegular } from '@fluentui/react-icons';
import { useRef } from 'react';
import { useTexts } from '../../../texts/use-texts.ts';
import { useDropZone } from './drop-zone.tsx';

/** Uploads the files that the user chooses, into the folder that is shown; without one, the page asks. */
export function UploadButton() {
  const { documents: texts } = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const { take } = useDropZone();
  return (
    <>
      <Button
        appearance="primary"
        icon={<ArrowUploadRegular />}
        title={texts.uploadHint}
        onClick={() => input.current?.click()}
      >
        {texts.upload}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          const files = [...(target.files ?? [])].map((file) => ({ file, inFolder: '' }));
          take(Promise.resolve({ files, unreadable: [], isTooMany: false }));
          // Lets the user choose the same file again.
          target.value = '';
        }}
      />
    </>
  );
}
