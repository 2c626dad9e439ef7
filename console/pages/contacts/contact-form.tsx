import { Button, Field, Input, makeStyles, tokens } from '@fluentui/react-components';
import { useState, type SubmitEvent } from 'react';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useUnsaved } from '../../parts/dialogs/unsaved.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { contactFields, type ContactFields } from './use-contact.ts';

const useStyles = makeStyles({
  fields: {
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fit, minmax(min(14rem, 100%), 1fr))',
    gap: tokens.spacingHorizontalM,
    maxWidth: '48rem',
    margin: `${tokens.spacingVerticalM} 0`,
  },
});

export function ContactForm({
  initial,
  isBusy,
  error,
  onSave,
}: {
  initial: ContactFields;
  isBusy: boolean;
  error: Error | null;
  /** `onSaved` before another page is opened. */
  onSave: (fields: ContactFields, onSaved: () => void) => void;
}) {
  const { contacts: texts, common } = useTexts();
  const styles = useStyles();
  const [fields, setFields] = useState(initial);
  const unsaved = useUnsaved();
  const isNamed = fields.lastName.trim() !== '' || fields.company.trim() !== '';
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onSave(fields, unsaved.clear);
  };
  return (
    <form onSubmit={submit} onInput={unsaved.mark}>
      <div className={styles.fields}>
        {contactFields.map((name) => (
          <Field key={name} label={texts.fields[name]}>
            <Input
              type={name === 'email' ? 'email' : 'text'}
              value={fields[name]}
              onChange={(_event, { value }) => setFields((given) => ({ ...given, [name]: value }))}
            />
          </Field>
        ))}
      </div>
      <ProblemBar error={error} />
      {!isNamed && <p>{texts.nameNeeded}</p>}
      <Button type="submit" appearance="primary" disabled={!isNamed || isBusy}>
        {common.save}
      </Button>
    </form>
  );
}
