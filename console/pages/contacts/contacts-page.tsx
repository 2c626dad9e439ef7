import { Button } from '@fluentui/react-components';
import { PersonAddRegular } from '@fluentui/react-icons';
import { Route, Switch, useLocation } from 'wouter';
import { OpenById } from '../../parts/open-by-id.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { ContactView } from './contact-view.tsx';
import { NewContact } from './new-contact.tsx';
import { recentContacts } from './recent-contacts.ts';

export function ContactsPage() {
  const { contacts: texts, pages } = useTexts();
  const isAdministrator = useMay('Administrator');
  const [, navigate] = useLocation();
  return (
    <>
      <PageHead title={pages.contacts}>
        {isAdministrator && (
          <Button icon={<PersonAddRegular />} onClick={() => navigate('/contacts/new')}>
            {texts.add}
          </Button>
        )}
      </PageHead>
      <OpenById
        label={texts.contactId}
        action={texts.openContact}
        recentLabel={texts.recent}
        path="/contacts"
        recent={recentContacts}
      />
      <Switch>
        {isAdministrator && (
          <Route path="/contacts/new">
            <NewContact />
          </Route>
        )}
        <Route path="/contacts/:id">{({ id }) => <ContactView key={id} id={decodeURIComponent(id)} />}</Route>
      </Switch>
    </>
  );
}
