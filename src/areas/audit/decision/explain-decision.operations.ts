import { explainsDecisions } from '../../../engine/explain/decision-explainers.js';
import { query } from '../../../engine/operation/bound-operation.js';
import { Decisions, RightsExplanations } from './decisions.js';
import { ExplainedDecision } from './explained-decision.api.js';

export const decisionOperations = [
  Decisions,
  RightsExplanations,
  query('workspace/explainDecision', {
    summary:
      'Returns why a call was refused by a right or an access rule: what was judged then, part by part, and the smallest change that would have let it through.',
    source: 'Supplementary, audit',
    group: 'decisions',
    permission: 'workspace.read',
    callers: ['person'],
    tools: 'never',
    answers: { record: ExplainedDecision },
    input: {
      id: { type: 'string', minLength: 1, maxLength: 2_000, description: 'The decisionId of the refusal.' },
    },
    inject: [Decisions],
    handle: ({ id }, call, decisions) => decisions.explained(call, id),
  }),
  explainsDecisions('right', RightsExplanations, (explanations, call, decision) => explanations.of(call, decision)),
];
