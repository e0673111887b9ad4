import { html } from '../html.js';
import { alert, type HtmlPage, type PageFrame } from '../layout.js';
import { auditPath, momentWords } from './audit-words.js';

export interface Seal {
  readonly head: { readonly count: number; readonly head: string; readonly signedAt: string } | null;
  readonly fingerprint: string;
}

export function exportPage({ root }: PageFrame, { head, fingerprint }: Seal): HtmlPage {
  const content = html`<p class="back"><a href="${auditPath(root)}">All events</a></p>
<h1>Export and verify</h1>
<p>The export contains all events of the audit in a chain of hashes whose end is signed. Anyone can verify it without this service: changed, missing, added or moved lines are detected.</p>
<form method="get" action="${root}/api/v1/audit/export" class="filters">
<div><label for="from">From, ISO 8601</label><input id="from" name="from" required value="2000-01-01T00:00:00Z" spellcheck="false"></div>
<div><label for="to">Before, ISO 8601</label><input id="to" name="to" required value="${new Date(Date.now() + 60_000).toISOString()}" spellcheck="false"></div>
<div class="send"><button class="primary">Download</button></div>
</form>
<h2>Verify it</h2>
<pre tabindex="0">npm run cli -- audit:verify audit.ndjson --key ${fingerprint}</pre>
<h2>Store this where no one on this machine can change it</h2>
${
  head === null
    ? html`<p class="empty">Nothing is sealed yet. Wait a minute.</p>`
    : html`<dl class="facts">
<div><dt>Sealed events</dt><dd>${head.count}</dd></div>
<div><dt>Head</dt><dd><code>${head.head}</code></dd></div>
<div><dt>Signed</dt><dd>${momentWords(head.signedAt)}</dd></div>
<div><dt>Fingerprint of the key</dt><dd><code>${fingerprint}</code></dd></div>
</dl>`
}
<p class="hint">With a stored head, <code>audit:verify --heads FILE</code> also detects a log that was rewritten or truncated.</p>`;
  return { title: 'Export of the audit', content };
}

export function noExportPage({ root }: PageFrame, why: string): HtmlPage {
  const content = html`<p class="back"><a href="${auditPath(root)}">All events</a></p>
<h1>You may not export the audit</h1>
${alert(why)}
<p>The Owner, Admins and members with the right <code>audit.read</code> can export it. Ask an Admin or the Owner for that right, which they grant with <code>workspace/updateMember</code>, in <code>permissions</code>.</p>`;
  return { title: 'You may not export the audit', content };
}
