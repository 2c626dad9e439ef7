import { Text } from '@fluentui/react-components';
import type { Permission } from '../session/permissions.ts';
import { useTexts } from '../texts/use-texts.ts';

const administrators: readonly Permission[] = ['Administrator'];

/** Instead of a page that its user may not see: which role it requires, and who assigns roles. */
export function NeedsRole({ name, roles = administrators }: { name: string; roles?: readonly Permission[] }) {
  const { app: texts } = useTexts();
  return (
    <Text as="p" block>
      {texts.noAccess(name, roles)} {texts.rolesAreGivenBy}
    </Text>
  );
}
