import { html } from './html.js';
import type { HtmlPage, PageFrame } from './layout.js';

export function problemPage({ root }: PageFrame, title: string, sentence: string, requestId: string): HtmlPage {
  const content = html`<div class="narrow">
<h1>${title}</h1>
<p>${sentence}</p>
<p><a href="${root}/approvals">Go to the approvals</a></p>
<p class="hint">Request ${requestId}</p>
</div>`;
  return { title, content };
}
