import type { Person } from './people.ts';

/** The sign-in page: a link for each person, so that it works without script. */
export function signInPage(people: readonly Person[], linkFor: (person: Person) => string): string {
  const rows = people
    .map(
      (person) =>
        `<li><a href="${escapeHtml(linkFor(person))}"><strong>${escapeHtml(person.name)}</strong>` +
        `<span>${escapeHtml(person.email)}</span><span>${escapeHtml(person.roles.join(', ') || 'no role')}</span></a></li>`,
    )
    .join('\n');
  return page(
    'Sign in',
    `<p>The local identity provider. It requires no password. Choose a person.</p><ul>${rows}</ul>`,
  );
}

/** Where a person types the code that a command shows. Loaded again with the code, it offers the people. */
export const codePage = (): string =>
  page(
    'Enter code',
    '<form><p><label>The code of the program: <input name="code" autocomplete="off" required></label></p><p><button>Next</button></p></form>',
  );

/** Sends the response to the program, as `response_mode=form_post` says (OAuth 2.0 Form Post Response Mode). */
export function formPostPage(redirectUri: string, response: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(response).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return page(
    'Working …',
    `<form method="post" action="${escapeHtml(redirectUri)}">${inputs.join('')}<button>Continue</button></form>` +
      '<script>document.forms[0].submit()</script>',
  );
}

export const messagePage = (title: string, text: string): string => page(title, `<p>${escapeHtml(text)}</p>`);

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 28rem; margin: 10vh auto; padding: 0 1rem; }
ul { list-style: none; padding: 0; }
a { display: grid; padding: .75rem 1rem; margin-bottom: .5rem; border: 1px solid #8888; border-radius: .5rem; color: inherit; text-decoration: none; }
a:hover, a:focus { border-color: #0f6cbd; outline: 2px solid #0f6cbd; }
span { opacity: .8; font-size: .875rem; }
</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>
`;

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
