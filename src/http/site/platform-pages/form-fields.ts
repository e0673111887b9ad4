import { type Html, html } from '../../pages/html.js';
import type { At } from './platform-page.js';

interface Input {
  readonly name: string;
  readonly label: string;
  readonly type: 'email' | 'password' | 'text' | 'number' | 'date' | 'datetime-local' | 'url' | 'tel';
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly hint?: string;
  readonly value?: string;
  readonly step?: string;
}

export function inputField(one: Input): Html {
  const { name, label, type, autocomplete = 'off', required = false, hint, value = '', step } = one;
  return html`<label for="${name}">${label}${!required && ' (optional)'}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}"${required && html` required`}${step !== undefined && html` step="${step}"`}${hint !== undefined && html` aria-describedby="${name}-hint"`}>
${hint !== undefined && html`<p id="${name}-hint" class="hint">${hint}</p>`}`;
}

export const emailInput = ({ sent }: At): Html =>
  inputField({
    name: 'email',
    label: 'Email',
    type: 'email',
    autocomplete: 'username',
    required: true,
    value: sent.get('email') ?? '',
  });

export const passwordInput = (kind: 'current' | 'new'): Html =>
  inputField({
    name: 'password',
    label: kind === 'new' ? 'New password' : 'Password',
    type: 'password',
    autocomplete: `${kind}-password`,
    required: true,
    ...(kind === 'new' ? { hint: 'At least 8 characters.' } : {}),
  });

export const wrongNote = ({ wrong }: At): Html | undefined =>
  wrong.length === 0
    ? undefined
    : html`<div class="alert" role="alert">${wrong.map((sentence) => html`<p>${sentence}</p>`)}</div>`;

export const formTo = ({ base, path, hidden }: At, fields: readonly (Html | undefined)[], button: string): Html =>
  html`<form method="post" action="${base}${path}" class="stack">
${hidden}
${fields.map((field) => field && html`${field}\n`)}<button class="primary">${button}</button>
</form>`;

export const linkList = (links: readonly (readonly [address: string | undefined, text: string])[]): Html =>
  html`${links.map(([address, text]) => address !== undefined && html`<p><a href="${address}">${text}</a></p>\n`)}`;
