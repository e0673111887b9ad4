import type { BrowserForm } from './browser-forms.js';
import { html } from './html.js';
import { alert, formToken, type HtmlPage, type PageFrame } from './layout.js';

/** @param next path of the page to show afterwards */
export function signInPage({ root }: PageFrame, form: BrowserForm, next: string, wrong?: string): HtmlPage {
  const content = html`<div class="narrow">
<h1>Sign in</h1>
<p>Changes wait here until a person approves them. Sign in with a key of your own to see yours.</p>
${alert(wrong)}
<form method="post" action="${root}/approvals/sign-in" class="stack">
${formToken(form)}
<input type="hidden" name="next" value="${next}">
<label for="key">Your key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required maxlength="500" spellcheck="false" autocapitalize="none" aria-describedby="key-hint"${wrong !== undefined && html` aria-invalid="true"`}>
<p id="key-hint" class="hint">It begins with csk_ and belongs to you, not to an agent or an automation. A person who manages keys in your workspace can create one for you.</p>
<button class="primary">Sign in</button>
</form>
</div>`;
  return { title: 'Sign in', content };
}
