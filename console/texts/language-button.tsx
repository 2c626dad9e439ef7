import { Button } from '@fluentui/react-components';
import { chooseLanguage } from './language.ts';
import { useLanguage } from './use-texts.ts';

/** Names the other language in that language, for users who cannot read the current one. */
export function LanguageButton() {
  const other = useLanguage() === 'de' ? 'en' : 'de';
  const name = other === 'de' ? 'Deutsch' : 'English';
  return (
    <Button appearance="subtle" lang={other} onClick={() => chooseLanguage(other)}>
      {name}
    </Button>
  );
}
