import { useEffect } from 'react';

let pageTitle = '';
let subject: string | undefined;

const show = (): void => {
  document.title = subject === undefined ? pageTitle : `${subject} – ${pageTitle}`;
};

/** The title of the window, in the language of the page. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    pageTitle = title;
    show();
  }, [title]);
}

/** What the page is about comes first in its title, as long as it is shown: it tells tabs and the history apart. */
export function useSubject(name: string): void {
  useEffect(() => {
    subject = name;
    show();
    return () => {
      subject = undefined;
      show();
    };
  }, [name]);
}
