import { Badge, type BadgeProps } from '@fluentui/react-components';
import { CheckmarkCircleRegular, PlayCircleRegular, WarningRegular } from '@fluentui/react-icons';
import { useTexts } from '../../texts/use-texts.ts';
import type { Agent } from './use-agents.ts';

const appearances = {
  working: { color: 'brand', icon: <PlayCircleRegular /> },
  idle: { color: 'success', icon: <CheckmarkCircleRegular /> },
  silent: { color: 'danger', icon: <WarningRegular /> },
} as const satisfies Record<Agent['state'], Pick<BadgeProps, 'color' | 'icon'>>;

export function AgentState({ state }: { state: Agent['state'] }) {
  const { agents: texts } = useTexts();
  return (
    <Badge appearance="tint" {...appearances[state]}>
      {texts.state[state]}
    </Badge>
  );
}
