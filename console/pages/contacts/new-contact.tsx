import { useState } from 'react';
import { useLocation } from 'wouter';
import { useNotify } from '../../parts/notices.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { ContactForm } from './contact-form.tsx';
import { fieldsOf, useContactActions } from './use-contact.ts';

/** The page generates the id, as a system of record would. */
export function NewContact() {
  const { contacts: texts } = useTexts();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const [id] = useState(() => crypto.randomUUID());
  const { save } = useContactActions(id);
  return (
    <ContactForm
      initial={fieldsOf()}
      isBusy={save.isPending}
      error={save.error}
      onSave={(fields, onSaved) =>
        save.mutate(fields, {
          onSuccess: () => {
            onSaved();
            notify(texts.saved);
            navigate(`/contacts/${id}`);
          },
        })
      }
    />
  );
}
