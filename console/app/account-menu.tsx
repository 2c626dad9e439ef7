import {
  Button,
  Menu,
  MenuDivider,
  MenuGroup,
  MenuGroupHeader,
  MenuItem,
  MenuItemCheckbox,
  MenuList,
  MenuPopover,
  MenuTrigger,
} from '@fluentui/react-components';
import { PersonCircleRegular, SignOutRegular } from '@fluentui/react-icons';
import { confirmLeaving } from '../parts/dialogs/unsaved.ts';
import { session } from '../session/session.ts';
import { useUser } from '../session/use-session.ts';
import { useTexts } from '../texts/use-texts.ts';
import { chooseColorScheme, useColorScheme } from '../theme/color-scheme.ts';

export function AccountMenu() {
  const { name } = useUser();
  const texts = useTexts();
  const scheme = useColorScheme();
  return (
    <Menu
      checkedValues={{ scheme: [scheme] }}
      onCheckedValueChange={(_event, { checkedItems }) =>
        chooseColorScheme(checkedItems.includes('dark') ? 'dark' : 'light')
      }
    >
      <MenuTrigger disableButtonEnhancement>
        <Button
          appearance="subtle"
          shape="circular"
          icon={<PersonCircleRegular />}
          aria-label={`${texts.session.account}: ${name}`}
        />
      </MenuTrigger>
      <MenuPopover>
        <MenuList>
          <MenuGroup>
            <MenuGroupHeader>{name}</MenuGroupHeader>
            <MenuItemCheckbox name="scheme" value="dark">
              {texts.session.colors}
            </MenuItemCheckbox>
          </MenuGroup>
          <MenuDivider />
          <MenuItem icon={<SignOutRegular />} onClick={() => void (confirmLeaving() && session.signOut())}>
            {texts.session.signOut}
          </MenuItem>
        </MenuList>
      </MenuPopover>
    </Menu>
  );
}
