import {
  Button,
  DrawerBody,
  DrawerHeader,
  DrawerHeaderTitle,
  OverlayDrawer,
} from '@fluentui/react-components';
import { DismissRegular } from '@fluentui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import { Loaded } from '../../parts/loaded.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { RequestActions } from './request-actions.tsx';
import { RequestFacts } from './request-facts.tsx';
import { RequestHistory } from './request-history.tsx';
import { requestQuery } from './request-query.ts';

/** One request in a drawer, refreshed while it can still change. */
export function RequestDetail({ id }: { id: string }) {
  const { common, folderRequests: texts } = useTexts();
  const [, navigate] = useLocation();
  const search = useSearch();
  const close = () => navigate(`/folder-requests${search && `?${search}`}`);
  const detail = useQuery(requestQuery(id));
  return (
    <OverlayDrawer position="end" size="medium" open onOpenChange={close}>
      <DrawerHeader>
        <DrawerHeaderTitle
          heading={{ as: 'h2' }}
          action={
            <Button appearance="subtle" icon={<DismissRegular />} aria-label={common.close} onClick={close} />
          }
        >
          {texts.one}
        </DrawerHeaderTitle>
      </DrawerHeader>
      <DrawerBody>
        <Loaded query={detail} notFound={texts.unknownId}>
          {(request) => (
            <>
              <RequestFacts request={request} />
              <RequestActions key={request.id} request={request} onWithdrawn={close} />
              <RequestHistory request={request} />
            </>
          )}
        </Loaded>
      </DrawerBody>
    </OverlayDrawer>
  );
}
