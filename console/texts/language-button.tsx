import { Button } from '@fluentui/react-components';
import { chooseLanguage } from './language.ts';
import { useLanguage } from './use-texts.ts';

/** Names the other language in that language, for those who do not read the present one. */
export function LanguageButton() {
  const other = useLanguage() === 'de' ? 'en' : 'de';
  const name = other === 'de' ? 'Deutsch' : 'English';
  return (
    <Button appearance="subtle" lang={other} onClick={() => chooseLanguage(other)}>
      {name}
    </Button>
  );
}
