import { Field, Input } from '@fluentui/react-components';
import { useState } from 'react';
import { anyRole } from '../../session/permissions.ts';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { PickContact } from '../contacts/pick-contact.tsx';
import { contactName, useContact } from '../contacts/use-contact.ts';
import { PickProject } from '../documents/pick-project.tsx';

interface RecipientFieldsProps {
  contactId: string;
  projectId: string;
  onContact: (id: string) => void;
  onProject: (id: string) => void;
}

/** Contact and project: a search for users who may read both, ids for all others. */
export function RecipientFields(props: RecipientFieldsProps) {
  return useMay(...anyRole) ? <Pickers {...props} /> : <Ids {...props} />;
}

function Pickers({ contactId, onContact, onProject }: RecipientFieldsProps) {
  const { activities: texts } = useTexts();
  const [projectName, setProjectName] = useState('');
  const contact = useContact(contactId === '' ? undefined : contactId);
  return (
    <>
      <PickContact
        label={texts.contact}
        isRequired
        chosenName={contact.data ? contactName(contact.data) : contactId}
        onChoose={(chosen) => onContact(chosen?.id ?? '')}
      />
      <PickProject
        label={texts.project}
        chosenName={projectName}
        onChoose={(chosen) => {
          setProjectName(chosen?.name ?? '');
          onProject(chosen?.id ?? '');
        }}
      />
    </>
  );
}

function Ids({ contactId, projectId, onContact, onProject }: RecipientFieldsProps) {
  const { activities: texts } = useTexts();
  return (
    <>
      <Field label={texts.contactId} hint={texts.contactHint} required>
        <Input value={contactId} onChange={(_event, { value }) => onContact(value)} />
      </Field>
      <Field label={texts.projectId}>
        <Input value={projectId} onChange={(_event, { value }) => onProject(value)} />
      </Field>
    </>
  );
}
