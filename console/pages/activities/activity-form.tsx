import {
  Button,
  Field,
  Radio,
  RadioGroup,
  Select,
  Spinner,
  Textarea,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { useState, type SubmitEvent } from 'react';
import { useSearchParams } from 'wouter';
import { valuesOf } from '../../api/values-of.ts';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { RecipientFields } from './recipient-fields.tsx';
import { useTemplates, type ActivityState, type NewActivity } from './use-activity.ts';

type Tone = NonNullable<NewActivity['tone']>;
const tones = valuesOf<Tone>({ formal: true, friendly: true, brief: true });

const useStyles = makeStyles({ form: { display: 'grid', gap: tokens.spacingVerticalM } });

/** What is to be written, to whom and how. */
export function ActivityForm({ write }: { write: ActivityState['write'] }) {
  const { activities: texts } = useTexts();
  const styles = useStyles();
  const [params] = useSearchParams();
  const templates = useTemplates();
  const [type, setType] = useState<NewActivity['activityType']>('Email');
  const [contactId, setContactId] = useState(params.get('contact') ?? '');
  const [projectId, setProjectId] = useState('');
  const [description, setDescription] = useState('');
  const [tone, setTone] = useState<Tone>('formal');
  const [template, setTemplate] = useState('');
  const isComplete = contactId !== '' && description.trim() !== '';
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isComplete || write.isPending) return;
    write.mutate({
      draftId: crypto.randomUUID(),
      order: {
        activityType: type,
        contactId,
        description,
        tone,
        ...(projectId !== '' && { projectId }),
        ...(type === 'Document' && template !== '' && { template }),
      },
    });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Field label={texts.type}>
        <RadioGroup
          layout="horizontal"
          value={type}
          onChange={(_event, { value }) => setType(value as typeof type)}
        >
          <Radio value="Email" label={texts.types.Email} />
          <Radio value="Document" label={texts.types.Document} />
        </RadioGroup>
      </Field>
      <RecipientFields contactId={contactId} onContact={setContactId} onProject={setProjectId} />
      <Field label={texts.tone}>
        <Select value={tone} onChange={(_event, { value }) => setTone(value as Tone)}>
          {tones.map((each) => (
            <option key={each} value={each}>
              {texts.tones[each]}
            </option>
          ))}
        </Select>
      </Field>
      {type === 'Document' && templates.data && templates.data.length > 1 && (
        <Field label={texts.template}>
          <Select value={template} onChange={(_event, { value }) => setTemplate(value)}>
            {templates.data.map(({ name, isDefault }) => (
              <option key={name} value={isDefault ? '' : name}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <Field label={texts.description} hint={texts.descriptionHint} required>
        <Textarea
          rows={6}
          maxLength={10_000}
          value={description}
          onChange={(_event, { value }) => setDescription(value)}
        />
      </Field>
      <ProblemBar error={write.error} />
      <div>
        <Button
          type="submit"
          appearance="primary"
          disabledFocusable={!isComplete || write.isPending}
          {...(write.isPending && { icon: <Spinner size="tiny" /> })}
        >
          {write.isPending ? texts.writing : texts.write}
        </Button>
      </div>
    </form>
  );
}
