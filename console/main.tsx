import 'uplot/dist/uPlot.min.css';
import './theme/page.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { countSteps } from './base/steps.ts';
import { session } from './session/session.ts';

countSteps();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
void session.open();
