import type { CardRisk } from '../../../areas/approvals/pending-change/card-context.api.js';
import { type Html, html } from '../html.js';

const words: Readonly<Record<CardRisk, string>> = {
  'full-data-access': 'Full data access',
  'identity-mode': 'Identity mode',
  'workspace-deletion': 'Deletes in the whole workspace',
  deletion: 'Deletes',
};

/** Risks are shown as words, so that they do not depend on colour. */
export function risksView(risks: readonly CardRisk[]): Html | undefined {
  if (risks.length === 0) return undefined;
  return html`<p class="risks">${risks.map((risk) => html`<span class="risk ${risk}">${words[risk]}</span> `)}</p>`;
}

export const isHighRisk = (risks: readonly CardRisk[]): boolean => risks.some((risk) => risk !== 'deletion');
