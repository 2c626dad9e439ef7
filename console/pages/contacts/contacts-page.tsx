import { Button } from '@fluentui/react-components';
import { ArrowUploadRegular, PersonAddRegular } from '@fluentui/react-icons';
import { Route, Switch, useLocation } from 'wouter';
import { decodedPart } from '../../base/decoded-part.ts';
import { RecordList } from '../../parts/record-list.tsx';
import { NeedsRole } from '../../parts/needs-role.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { ImportRecords } from '../imports/import-records.tsx';
import { ContactView } from './contact-view.tsx';
import { NewContact } from './new-contact.tsx';
import { contacts, PickContact } from './pick-contact.tsx';

export function ContactsPage() {
  const { contacts: texts, imports, pages } = useTexts();
  const isAdministrator = useMay('Administrator');
  const [, navigate] = useLocation();
  return (
    <>
      <PageHead title={pages.contacts}>
        {isAdministrator && (
          <>
            <Button icon={<PersonAddRegular />} onClick={() => navigate('/contacts/new')}>
              {texts.add}
            </Button>
            <Button icon={<ArrowUploadRegular />} onClick={() => navigate('/contacts/import')}>
              {imports.open}
            </Button>
          </>
        )}
      </PageHead>
      <PickContact
        label={texts.contact}
        onChoose={(contact) => {
          if (contact) navigate(`/contacts/${contact.id}`);
        }}
      />
      <Switch>
        <Route path="/contacts/new">
          {isAdministrator ? <NewContact /> : <NeedsRole name={texts.add} />}
        </Route>
        <Route path="/contacts/import">
          {isAdministrator ? <ImportRecords kind="contacts" /> : <NeedsRole name={imports.title.contacts} />}
        </Route>
        <Route path="/contacts/:id">{({ id }) => <ContactView key={id} id={decodedPart(id)} />}</Route>
        <Route>
          <RecordList label={pages.contacts} source={contacts} hrefOf={(id) => `/contacts/${id}`} />
        </Route>
      </Switch>
    </>
  );
}
