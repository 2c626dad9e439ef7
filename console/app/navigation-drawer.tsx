import {
  Button,
  DrawerBody,
  DrawerHeader,
  DrawerHeaderTitle,
  OverlayDrawer,
  makeStyles,
} from '@fluentui/react-components';
import { DismissRegular, NavigationRegular } from '@fluentui/react-icons';
import { useState } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { Navigation } from './navigation.tsx';
import { narrow } from '../theme/widths.ts';
import type { Page } from './pages.ts';

const useStyles = makeStyles({
  button: { display: 'none', [narrow]: { display: 'inline-flex' } },
});

/** The menu in narrow windows. */
export function NavigationDrawer({ pages }: { pages: readonly Page[] }) {
  const [isOpen, setOpen] = useState(false);
  const texts = useTexts();
  const styles = useStyles();
  return (
    <>
      <Button
        className={styles.button}
        appearance="subtle"
        icon={<NavigationRegular />}
        aria-label={texts.app.menu}
        onClick={() => setOpen(true)}
      />
      <OverlayDrawer open={isOpen} onOpenChange={(_event, { open }) => setOpen(open)} size="small">
        <DrawerHeader>
          <DrawerHeaderTitle
            action={
              <Button
                appearance="subtle"
                icon={<DismissRegular />}
                aria-label={texts.common.close}
                onClick={() => setOpen(false)}
              />
            }
          >
            {texts.app.menu}
          </DrawerHeaderTitle>
        </DrawerHeader>
        <DrawerBody>
          <Navigation pages={pages} onChosen={() => setOpen(false)} />
        </DrawerBody>
      </OverlayDrawer>
    </>
  );
}
