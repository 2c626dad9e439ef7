import { Badge, type BadgeProps } from '@fluentui/react-components';
import {
  CheckmarkCircleRegular,
  ClockRegular,
  DismissCircleRegular,
  PlayCircleRegular,
} from '@fluentui/react-icons';
import { useTexts } from '../../texts/use-texts.ts';
import type { Status } from './use-request-filter.ts';

const appearances = {
  PENDING: { color: 'informative', icon: <ClockRegular /> },
  PROCESSING: { color: 'brand', icon: <PlayCircleRegular /> },
  FULFILLED: { color: 'success', icon: <CheckmarkCircleRegular /> },
  FAILED: { color: 'danger', icon: <DismissCircleRegular /> },
} as const satisfies Record<Status, Pick<BadgeProps, 'color' | 'icon'>>;

/** A state as word, symbol and color. */
export function StatusBadge({ status }: { status: Status }) {
  const texts = useTexts();
  return (
    <Badge appearance="tint" {...appearances[status]}>
      {/* Beside the symbol: a browser's translation replaces a text node, and React changes the old one. */}
      <span>{texts.folderRequests.status[status]}</span>
    </Badge>
  );
}
