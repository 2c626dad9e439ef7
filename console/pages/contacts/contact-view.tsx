import { Button, Subtitle1, makeStyles, tokens } from '@fluentui/react-components';
import { DeleteRegular, MailRegular } from '@fluentui/react-icons';
import { useLocation } from 'wouter';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { useSubject } from '../../base/title.ts';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { ContactForm } from './contact-form.tsx';
import {
  contactFields,
  contactName,
  fieldsOf,
  useContact,
  useContactActions,
  type Contact,
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
  const { contacts: texts } = useTexts();
  const contact = useContact(id);
  return (
    <Loaded query={contact} notFound={texts.notFound}>
      {(data) => <Found contact={data} />}
    </Loaded>
  );
}

function Found({ contact }: { contact: Contact }) {
  const { contacts: texts } = useTexts();
  const styles = useStyles();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const isAdministrator = useMay('Administrator');
  const mayWrite = useMay('canCreateActivities');
  const { save } = useContactActions(contact.id);
  useSubject(contactName(contact));
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
          onSave={(fields, onSaved) =>
            save.mutate(fields, {
              onSuccess: () => {
                onSaved();
                notify(texts.saved);
              },
            })
          }
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

function DeleteContact({ contact }: { contact: Contact }) {
  const { contacts: texts, common } = useTexts();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const { remove } = useContactActions(contact.id);
  return (
    <ConfirmButton
      action={common.delete}
      icon={<DeleteRegular />}
      question={texts.deleteQuestion(contactName(contact))}
      mutation={remove}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            notify(texts.deleted);
            navigate('/contacts');
          },
        })
      }
    />
  );
}
