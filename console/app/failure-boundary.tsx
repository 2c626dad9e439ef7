import { Button } from '@fluentui/react-components';
import { Component, type ReactNode } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { Message } from './message.tsx';

/** Replaces a page that has thrown; the menu keeps working. */
export class FailureBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <Failed /> : this.props.children;
  }
}

function Failed() {
  const texts = useTexts();
  return (
    <div role="alert">
      <Message title={texts.app.crashed} text="" />
      <Button onClick={() => location.reload()}>{texts.app.reload}</Button>
    </div>
  );
}
