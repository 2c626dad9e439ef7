import {
  FluentProvider,
  RendererProvider,
  createDOMRenderer,
  webDarkTheme,
  webLightTheme,
} from '@fluentui/react-components';
import { useEffect, type ReactNode } from 'react';
import { useColorScheme } from './color-scheme.ts';

// The nonce of this response is in the property of the script element; browsers hide the attribute from scripts. Without
// it the Content-Security-Policy blocks the style elements that the components create.
const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
const renderer = createDOMRenderer(document, { styleElementAttributes: { nonce } });

/** Fluent UI in the color scheme of the system, or in the one that the user has chosen. */
export function Themed({ children }: { children: ReactNode }) {
  return (
    <RendererProvider renderer={renderer} targetDocument={document}>
      <Provider>{children}</Provider>
    </RendererProvider>
  );
}

function Provider({ children }: { children: ReactNode }) {
  const scheme = useColorScheme();
  useEffect(() => {
    document.documentElement.style.colorScheme = scheme;
  }, [scheme]);
  return <FluentProvider theme={scheme === 'dark' ? webDarkTheme : webLightTheme}>{children}</FluentProvider>;
}
