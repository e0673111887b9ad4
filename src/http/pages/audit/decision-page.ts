import type { DecisionPart, ExplainedDecision } from '../../../areas/audit/decision/explained-decision.api.js';
import { type Html, html, marked } from '../html.js';
import type { HtmlPage, PageFrame } from '../layout.js';
import { auditPath, momentWords } from './audit-words.js';

export function decisionPage({ root }: PageFrame, decision: ExplainedDecision): HtmlPage {
  const { at, who, operation, sentence, tree, smallestChange, changedSince, allowedNow, note } = decision;
  const content = html`<p class="back"><a href="${auditPath(root)}">All events</a></p>
<h1>Why it was refused</h1>
<p class="state rejected">${sentence}</p>
<dl class="facts">
<div><dt>When</dt><dd>${momentWords(at)}</dd></div>
<div><dt>Who</dt><dd>${who.name === null ? html`${who.kind}` : html`<bdi>${marked(who.name)}</bdi> (${who.kind})`}</dd></div>
${operation !== null && html`<div><dt>Operation</dt><dd><code>${operation}</code></dd></div>`}
<div><dt>The same call now</dt><dd>${allowedNow === null ? 'unknown' : allowedNow ? 'would be allowed' : 'would be refused'}</dd></div>
</dl>
${changedSince && html`<p class="hint">The rules have changed since. This page shows them as they were then.</p>`}
${note !== null && html`<p class="hint">${note}</p>`}
<h2>The smallest change that would have allowed it</h2>
${
  smallestChange === null || smallestChange.length === 0
    ? html`<p class="empty">None is known.</p>`
    : html`<ul>${smallestChange.map((change) => html`<li>${marked(change.sentence)}</li>`)}</ul>`
}
<h2>What was evaluated</h2>
${tree === null ? html`<p class="empty">Nothing was evaluated, or it is no longer known.</p>` : html`<ul class="graph"><li>${part(tree)}</li></ul>`}`;
  return { title: 'Why it was refused', content };
}

const verdicts: Readonly<Record<string, string>> = {
  allowed: 'held',
  denied: 'was not satisfied',
  open: 'was not needed',
  fault: 'could not be evaluated',
};

function part({ sentence, outcome, parts = [], leftOut }: DecisionPart): Html {
  return html`${marked(sentence)} <span class="status">${verdicts[outcome] ?? outcome}</span>${
    parts.length > 0 && html`<ul>${parts.map((one) => html`<li>${part(one)}</li>`)}</ul>`
  }${leftOut !== undefined && html` <span class="meta">and ${leftOut} more</span>`}`;
}
