import { describe, expect, it } from '@jest/globals';
import type { PageSession } from '../page-sessions.js';
import { type CardView, cardPage } from './card-page.js';

const session = { formToken: 't', caller: { id: 'member_1', name: 'Ada' } } as unknown as PageSession;
const card = {
  id: 'change_1',
  kind: 'function-capabilities',
  summary: 'Give it a power.',
  target: { kind: 'function', id: 'fn_1', name: 'F' },
  changes: [],
  requestedBy: { kind: 'agent', id: 'agent_1', name: 'Scout', personBehind: { id: 'member_2', name: 'Bo' } },
  approver: 'editor',
  status: 'pending',
  createdAt: '2030-01-01T00:00:00.000Z',
  expiresAt: '2030-01-08T00:00:00.000Z',
  hash: 'h',
  risks: [],
} as const;
const shown = (more: object) => {
  const whole = { ...card, ...more } as unknown as CardView['card'];
  const view = { card: whole, whole: false };
  return cardPage({ root: '' }, session, view).content.text;
};

describe('the page of a card', () => {
  it('shows who asked, the person behind them, and the reason, in their own words as plain text', () => {
    const page = shown({ requestReason: 'So that <b>refunds</b>\nare mailed\u202e' });
    expect(page).toContain('<bdi>Scout</bdi> (AI agent of <bdi>Bo</bdi>)');
    expect(page).toContain(
      '<dt>Why</dt><dd><q class="said">So that &lt;b&gt;refunds&lt;/b&gt;\nare mailed<span class="odd">U+202E</span></q></dd>',
    );
    expect(shown({})).not.toContain('<dt>Why</dt>');
  });

  it("marks the reader's own request", () => {
    const context = { askedByYou: true, means: [] };
    const own = { ...card.requestedBy, kind: 'person', id: 'member_1' };
    expect(shown({ context, requestedBy: own })).toContain('You asked for this yourself.');
    expect(shown({ context })).toContain('You are treated as having asked for this.');
    expect(shown({ context: { ...context, askedByYou: false } })).not.toMatch(/You (asked|count)/);
  });

  it('names no date and no one who decides once the card is approved', () => {
    const facts = ['Waits until', 'Who decides', 'Your decision'];
    const page = (isApproved: boolean) => {
      const decision = { isApproved, mayNotApprove: 'No.', mayNotReject: 'No.' };
      const view = { card: card as unknown as CardView['card'], whole: false, decision };
      return cardPage({ root: '' }, session, view).content.text;
    };
    expect(facts.filter((one) => page(false).includes(one))).toEqual(facts);
    expect(facts.filter((one) => page(true).includes(one))).toEqual([]);
  });

  it('marks its risks in words', () => {
    expect(shown({ risks: ['full-data-access', 'deletion'] })).toContain(
      '<span class="risk full-data-access">Full data access</span> <span class="risk deletion">Deletes</span>',
    );
  });
});
