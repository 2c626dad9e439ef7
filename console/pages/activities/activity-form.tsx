import {
  Button,
  Field,
  Radio,
  RadioGroup,
  Spinner,
  Textarea,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { useState, type SubmitEvent } from 'react';
import { useSearchParams } from 'wouter';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { RecipientFields } from './recipient-fields.tsx';
import type { NewActivity, useActivity } from './use-activity.ts';

const useStyles = makeStyles({ form: { display: 'grid', gap: tokens.spacingVerticalM } });

export function ActivityForm({ activity }: { activity: ReturnType<typeof useActivity> }) {
  const { activities: texts } = useTexts();
  const styles = useStyles();
  const [params] = useSearchParams();
  const [type, setType] = useState<NewActivity['activityType']>('Email');
  const [contactId, setContactId] = useState(params.get('contact') ?? '');
  const [projectId, setProjectId] = useState('');
  const [description, setDescription] = useState('');
  const isComplete = contactId.trim() !== '' && description.trim() !== '';
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    activity.mutate({
      activityType: type,
      contactId: contactId.trim(),
      description,
      ...(projectId.trim() !== '' && { projectId: projectId.trim() }),
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
      <RecipientFields
        contactId={contactId}
        projectId={projectId}
        onContact={setContactId}
        onProject={setProjectId}
      />
      <Field label={texts.description} hint={texts.descriptionHint} required>
        <Textarea
          rows={6}
          maxLength={10_000}
          value={description}
          onChange={(_event, { value }) => setDescription(value)}
        />
      </Field>
      <ProblemBar error={activity.error} />
      <div>
        <Button
          type="submit"
          appearance="primary"
          disabled={!isComplete || activity.isPending}
          {...(activity.isPending && { icon: <Spinner size="tiny" /> })}
        >
          {activity.isPending ? texts.writing : activity.data ? texts.again : texts.write}
        </Button>
      </div>
    </form>
  );
}
