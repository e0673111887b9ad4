import { explainsDecisions } from '../../../engine/explain/decision-explainers.js';
import { query } from '../../../engine/operation/bound-operation.js';
import { Decisions, RightsExplanations } from './decisions.js';
import { ExplainedDecision } from './explained-decision.api.js';

export const decisionOperations = [
  Decisions,
  RightsExplanations,
  query('workspace/explainDecision', {
    summary:
      'Explains why a right or an access rule caused a call to be refused. Returns each part that was evaluated, and the smallest change that would have allowed the call.',
    source: 'Supplementary, audit',
    group: 'decisions',
    permission: 'workspace.read',
    callers: ['person'],
    tools: 'never',
    answers: { record: ExplainedDecision },
    input: {
      id: { type: 'string', minLength: 1, maxLength: 2_000, description: 'The decisionId from the refusal.' },
    },
    inject: [Decisions],
    handle: ({ id }, call, decisions) => decisions.explained(call, id),
  }),
  explainsDecisions('right', RightsExplanations, (explanations, call, decision) => explanations.of(call, decision)),
];
