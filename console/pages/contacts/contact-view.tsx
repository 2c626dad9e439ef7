import { Button, Spinner, Subtitle1, makeStyles, tokens } from '@fluentui/react-components';
import { DeleteRegular, MailRegular } from '@fluentui/react-icons';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiProblem } from '../../api/api-problem.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { ContactForm } from './contact-form.tsx';
import { recentContacts } from './recent-contacts.ts';
import {
  contactFields,
  contactName,
  useContact,
  useContactActions,
  type Contact,
  type ContactFields,
} from './use-contact.ts';

const useStyles = makeStyles({
  head: { display: 'flex', flexWrap: 'wrap', gap: tokens.spacingHorizontalS, alignItems: 'center' },
  title: { flexGrow: 1, margin: 0, overflowWrap: 'anywhere' },
  facts: {
    display: 'grid',
    gridTemplateColumns: 'max-content minmax(0, 1fr)',
    gap: `${tokens.spacingVerticalXS} ${tokens.spacingHorizontalL}`,
  },
  value: { margin: 0, overflowWrap: 'anywhere' },
});

export function ContactView({ id }: { id: string }) {
  const { contacts: texts, common } = useTexts();
  const contact = useContact(id);
  const isFound = contact.data !== undefined;
  useEffect(() => {
    if (isFound) recentContacts.remember(id);
  }, [isFound, id]);
  if (contact.isPending) return <Spinner label={common.loading} />;
  if (contact.error instanceof ApiProblem && contact.error.status === 404) return <p>{texts.notFound}</p>;
  if (!contact.data) return <ProblemBar error={contact.error} onRetry={() => void contact.refetch()} />;
  return <Found contact={contact.data} />;
}

function Found({ contact }: { contact: Contact }) {
  const { contacts: texts } = useTexts();
  const styles = useStyles();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const isAdministrator = useMay('Administrator');
  const mayWrite = useMay('canCreateActivities');
  const { save } = useContactActions(contact.id);
  return (
    <section>
      <div className={styles.head}>
        <Subtitle1 as="h2" className={styles.title}>
          {contactName(contact)}
        </Subtitle1>
        {mayWrite && (
          <Button icon={<MailRegular />} onClick={() => navigate(`/activities?contact=${contact.id}`)}>
            {texts.write}
          </Button>
        )}
        {isAdministrator && <DeleteContact contact={contact} />}
      </div>
      {isAdministrator ? (
        <ContactForm
          initial={fieldsOf(contact)}
          isBusy={save.isPending}
          error={save.error}
          onSave={(fields) => save.mutate(fields, { onSuccess: () => notify(texts.saved) })}
        />
      ) : (
        <dl className={styles.facts}>
          {contactFields.map((name) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{texts.fields[name]}</dt>
              <dd className={styles.value}>{contact[name]}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

const fieldsOf = (contact: Contact): ContactFields =>
  Object.fromEntries(contactFields.map((name) => [name, contact[name] ?? ''])) as ContactFields;

function DeleteContact({ contact }: { contact: Contact }) {
  const { contacts: texts, common } = useTexts();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const { remove } = useContactActions(contact.id);
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button icon={<DeleteRegular />} onClick={() => setAsking(true)}>
        {common.delete}
      </Button>
      {isAsking && (
        <ConfirmDialog
          question={texts.deleteQuestion(contactName(contact))}
          action={common.delete}
          isBusy={remove.isPending}
          error={remove.error}
          onCancel={() => setAsking(false)}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                recentContacts.forget(contact.id);
                notify(texts.deleted);
                navigate('/contacts');
              },
            })
          }
        />
      )}
    </>
  );
}
