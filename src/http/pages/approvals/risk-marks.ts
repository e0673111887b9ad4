import type { CardRisk } from '../../../areas/approvals/pending-change/card-context.api.js';
import { type Html, html } from '../html.js';

const words: Readonly<Record<CardRisk, string>> = {
  'full-data-access': 'Full data access',
  'identity-mode': 'Identity mode',
  'workspace-deletion': 'Deletes in the whole workspace',
  deletion: 'Deletes',
};

/** Shows the risks in words as well as in colour. Shows nothing for a card without risks. */
export function risksView(risks: readonly CardRisk[]): Html | undefined {
  if (risks.length === 0) return undefined;
  return html`<p class="risks">${risks.map((risk) => html`<span class="risk ${risk}">${words[risk]}</span> `)}</p>`;
}

/** Whether the inbox highlights the card, which it does for any risk other than a plain deletion. */
export const isHighRisk = (risks: readonly CardRisk[]): boolean => risks.some((risk) => risk !== 'deletion');
