import { Button } from '@fluentui/react-components';
import { Component, type ReactNode } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { Message } from './message.tsx';

interface Props {
  readonly path: string;
  readonly children: ReactNode;
}

interface State {
  readonly path: string;
  readonly hasFailed: boolean;
}

/** Replaces a page that has thrown, until another address is opened; the menu keeps working. */
export class FailureBoundary extends Component<Props, State> {
  override state = { path: this.props.path, hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ path }: Props, state: State): State | null {
    return path === state.path ? null : { path, hasFailed: false };
  }

  override render() {
    return this.state.hasFailed ? <Failed /> : this.props.children;
  }
}

function Failed() {
  const { app: texts } = useTexts();
  return (
    <div role="alert">
      <Message title={texts.crashed} text="" hasWayOut />
      <Button onClick={() => location.reload()}>{texts.reload}</Button>
    </div>
  );
}
