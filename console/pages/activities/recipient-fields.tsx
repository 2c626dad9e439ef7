import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { PickContact } from '../contacts/pick-contact.tsx';
import { contactName, useContact } from '../contacts/use-contact.ts';
import { PickProject } from '../documents/pick-project.tsx';

/** Contact and project, found by their names. */
export function RecipientFields({
  contactId,
  onContact,
  onProject,
}: {
  contactId: string;
  onContact: (id: string) => void;
  onProject: (id: string) => void;
}) {
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
